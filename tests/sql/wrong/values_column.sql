SELECT * FROM VALUES (1, x) AS v (a, b);
