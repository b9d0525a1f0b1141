CREATE STREAM s (ts TIMESTAMP, a INT, WATERMARK FOR ts AS ts)
  WITH (format = 'csv', path = 'in', headr = 'true');
CREATE CONTINUOUS QUERY q AS SELECT a FROM s;
