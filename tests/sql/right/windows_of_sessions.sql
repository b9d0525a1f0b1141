CREATE STREAM clicks (ts TIMESTAMP, user STRING, page STRING, n INT, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT user, count(*) AS n, window_start, window_end FROM clicks [SESSION 30 MINUTES PARTITION BY user] GROUP BY user;

CREATE CONTINUOUS QUERY q2 AS
SELECT count(*) AS n FROM clicks [session interval '5' minutes];

CREATE CONTINUOUS QUERY q3 AS
SELECT user, window_start, window_end, count(DISTINCT page) AS pages
FROM SESSION(TABLE clicks PARTITION BY user, DESCRIPTOR(ts), INTERVAL '30' MINUTE)
GROUP BY user, window_start, window_end;

CREATE CONTINUOUS QUERY q4 AS
SELECT s.page FROM TABLE(SESSION(DATA => TABLE clicks PARTITION BY (user, page), TIMECOL => DESCRIPTOR(ts), GAP => INTERVAL 1 HOUR)) s
ORDER BY s.ts LIMIT 1;
