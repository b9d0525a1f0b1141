CREATE STREAM IF NOT EXISTS s (
  id BIGINT NOT NULL CHECK (id > 0) CHECK (id < 1000),
  value DECIMAL(10, 2) CHECK (value >= 0 AND value < other) NULL,
  other DOUBLE NOT NULL,
  tags MAP<STRING, ARRAY<INT>>,
  at TIMESTAMP_NTZ,
  day DATE,
  WATERMARK FOR at AS at - INTERVAL '2' SECONDS,
  IDLE TIMEOUT INTERVAL 10 SECONDS
) WITH ('format' = 'kafka', kafka.bootstrap.servers = 'a:1' ',b:2', subscribe = 's', maxOffsetsPerTrigger = 1000, failOnDataLoss = false);
CREATE STREAM IF NOT EXISTS s (x INT);
CREATE STREAM pushed (x INT);
SELECT id FROM s;
SELECT x FROM pushed;
