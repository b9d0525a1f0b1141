CREATE STREAM s (a INT CHECK (a > 1) CHECK (a > b));
