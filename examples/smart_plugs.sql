-- Six continuous queries over the loads of smart plugs (DEBS 2014), from "A federated optimizer for continuous queries".
-- property 1 is the load in watts, property 0 the work in kWh. A plug is known by house, household and plug.

CREATE STREAM plugs (id BIGINT, ts TIMESTAMP NOT NULL, value DOUBLE CHECK (value >= 0), property INT,
                     plug INT, household INT, house INT,
                     WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS, IDLE TIMEOUT INTERVAL 10 SECONDS)
  WITH (format = 'csv', path = 'data/plugs', header = 'true');

-- For each plug, how many loads of the last 5 minutes were above 90 % of its maximum?
CREATE CONTINUOUS QUERY cq1 AS
SELECT p.house, p.household, p.plug, count(*) AS n
FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] AS p
JOIN (SELECT house, household, plug, max(value) AS top
      FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND]
      WHERE property = 1
      GROUP BY house, household, plug) AS m
  ON m.house = p.house AND m.household = p.household AND m.plug = p.plug
WHERE p.property = 1 AND p.value > 0.9 * m.top
GROUP BY p.house, p.household, p.plug;

-- For each plug, how many loads of the last 5 minutes were above its average?
CREATE CONTINUOUS QUERY cq2 AS
SELECT p.house, p.household, p.plug, count(*) AS n
FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] AS p
WHERE p.property = 1
  AND p.value > (SELECT avg(value)
                 FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] AS q
                 WHERE q.property = 1 AND q.house = p.house AND q.household = p.household AND q.plug = p.plug)
GROUP BY p.house, p.household, p.plug;

-- For each plug, the maximum and average load of the last 5 minutes beside those of the last minute.
CREATE CONTINUOUS QUERY cq3 AS
SELECT house, household, plug, long.top AS top_5, short.top AS top_1, long.mean AS mean_5, short.mean AS mean_1
FROM (SELECT house, household, plug, max(value) AS top, avg(value) AS mean
      FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS long
JOIN (SELECT house, household, plug, max(value) AS top, avg(value) AS mean
      FROM plugs [RANGE 1 MINUTE SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS short
  USING (house, household, plug);

-- The same for the averages alone.
CREATE CONTINUOUS QUERY cq4 AS
SELECT house, household, plug, long.mean AS mean_5, short.mean AS mean_1
FROM (SELECT house, household, plug, avg(value) AS mean
      FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS long
JOIN (SELECT house, household, plug, avg(value) AS mean
      FROM plugs [RANGE 1 MINUTE SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS short
  USING (house, household, plug);

-- For each household, the largest total load that one of its plugs reported in the last 5 minutes.
CREATE CONTINUOUS QUERY cq5 AS
SELECT house, household, max(total) AS top
FROM (SELECT house, household, plug, sum(value) AS total
      FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND]
      WHERE property = 1
      GROUP BY house, household, plug) AS totals
GROUP BY house, household;

-- For each plug, the average loads of the last 1, 3 and 5 minutes.
CREATE CONTINUOUS QUERY cq6 AS
SELECT house, household, plug, one.mean AS mean_1, three.mean AS mean_3, five.mean AS mean_5
FROM (SELECT house, household, plug, avg(value) AS mean
      FROM plugs [RANGE 1 MINUTE SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS one
JOIN (SELECT house, household, plug, avg(value) AS mean
      FROM plugs [RANGE 3 MINUTES SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS three
  USING (house, household, plug)
JOIN (SELECT house, household, plug, avg(value) AS mean
      FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] WHERE property = 1 GROUP BY ALL) AS five
  USING (house, household, plug);
