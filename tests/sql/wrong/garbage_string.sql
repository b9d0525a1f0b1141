'hello';
