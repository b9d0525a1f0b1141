CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE STREAM alarms (plug INT, value DOUBLE);
INSERT INTO alarms (value, plgu) SELECT value, plug FROM plugs;
