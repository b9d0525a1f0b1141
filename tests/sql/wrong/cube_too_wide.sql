CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE CONTINUOUS QUERY q AS
SELECT count(*) AS n FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY CUBE (id, ts, value, plug, name, id+1, id+2, id+3, id+4, id+5, id+6, id+7, id+8);
