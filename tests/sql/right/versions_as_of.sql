CREATE STREAM orders (id INT, currency STRING, amount DOUBLE, ts TIMESTAMP, WATERMARK FOR ts AS ts);
CREATE STREAM rates (currency STRING, rate DOUBLE, at TIMESTAMP, PRIMARY KEY (currency) NOT ENFORCED,
                     WATERMARK FOR at AS at);

CREATE CONTINUOUS QUERY q1 AS
SELECT o.id, o.amount * r.rate AS euros
FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency;

CREATE CONTINUOUS QUERY q2 AS
SELECT orders.id, r.rate
FROM orders [NOW] LEFT JOIN rates [LATEST BY currency DELETE WHEN (rate IS NULL)] FOR SYSTEM_TIME AS OF orders.ts r
  ON r.currency = orders.currency;

CREATE CONTINUOUS QUERY q3 AS
SELECT o.id, a.rate AS theirs, b.rate AS ours
FROM orders o
JOIN rates FOR SYSTEM_TIME AS OF o.ts a ON a.currency = o.currency
JOIN rates FOR SYSTEM_TIME AS OF o.ts b ON b.currency = 'EUR';
