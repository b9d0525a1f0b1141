CREATE STREAM s (a INT CHECK (a > 1, a < 3));
