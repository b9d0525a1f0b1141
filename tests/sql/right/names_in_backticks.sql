CREATE STREAM `my stream` (`a b` INT, `select` STRING, `it's` DOUBLE, `back``tick` INT, `ts` TIMESTAMP,
                          WATERMARK FOR `ts` AS `ts` - INTERVAL 1 SECOND)
  WITH (`format` = 'delta', 'path' = 'a b', spark.sql.x = 1, header = true);
CREATE CONTINUOUS QUERY `my query` AS
SELECT `my stream`.`a b`, `m`.`select`, m.`it's` AS `so "it" is`, m.`back``tick`
FROM `my stream` [PARTITION BY `a b` ROWS 3] AS `m`, `my stream` [ROWS 3];
CREATE EMITTER `my emitter` FROM `my query` WITH (format = 'console');
