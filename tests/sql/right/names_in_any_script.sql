CREATE STREAM поток (値 INT, größe DOUBLE, ts TIMESTAMP);
CREATE CONTINUOUS QUERY запрос AS SELECT 値, größe AS `größe in m` FROM поток WHERE поток.値 > 1;
