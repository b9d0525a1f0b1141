CREATE STREAM s (a INT CHECK (rand() < 0.5));
