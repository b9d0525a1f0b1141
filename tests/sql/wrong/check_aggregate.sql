CREATE STREAM s (a INT CHECK (a > max(a)));
