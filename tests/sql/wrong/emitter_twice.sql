CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE EMITTER e FROM plugs WITH (format = 'console');
CREATE EMITTER e FROM plugs WITH (format = 'console');
