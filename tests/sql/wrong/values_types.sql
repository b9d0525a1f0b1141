SELECT * FROM VALUES (1), (array(1)) AS v (a);
