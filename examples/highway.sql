-- The running example of "A temporal foundation for continuous queries over data streams":
-- at which measuring stations has the average speed been below 15 m/s over the last 15 minutes?
-- No SLIDE: the answer at every instant, as rows with [valid_from, valid_to).
-- Run it in the project's directory with `datacell run examples/highway.sql --once`: the first station has the three rows of
-- the paper, and `speeds` is the listing of its section 4.2.4.

CREATE STREAM HighwayStream1 (lane SMALLINT, speed FLOAT, length FLOAT, `timestamp` TIMESTAMP,
                              WATERMARK FOR `timestamp` AS `timestamp`)
  WITH (format = 'csv', path = 'examples/data/highway1', header = 'true');
CREATE STREAM HighwayStream2 (lane SMALLINT, speed FLOAT, length FLOAT, `timestamp` TIMESTAMP,
                              WATERMARK FOR `timestamp` AS `timestamp`)
  WITH (format = 'csv', path = 'examples/data/highway2', header = 'true');
CREATE STREAM HighwayStream3 (lane SMALLINT, speed FLOAT, length FLOAT, `timestamp` TIMESTAMP,
                              WATERMARK FOR `timestamp` AS `timestamp`)
  WITH (format = 'csv', path = 'examples/data/highway3', header = 'true');

CREATE CONTINUOUS QUERY congested AS
SELECT sectionID
FROM (SELECT avg(speed) AS avgSpeed, 1 AS sectionID FROM HighwayStream1 [RANGE 15 MINUTES]
      UNION ALL
      SELECT avg(speed) AS avgSpeed, 2 AS sectionID FROM HighwayStream2 [RANGE 15 MINUTES]
      UNION ALL
      SELECT avg(speed) AS avgSpeed, 3 AS sectionID FROM HighwayStream3 [RANGE 15 MINUTES])
WHERE avgSpeed < 15;

CREATE CONTINUOUS QUERY speeds AS SELECT avg(speed) AS avgSpeed FROM HighwayStream1 [RANGE 15 MINUTES];

CREATE EMITTER show_congested FROM congested WITH (format = 'console');
CREATE EMITTER show_speeds FROM speeds WITH (format = 'console');
