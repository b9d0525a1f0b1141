CREATE STREAM alarms (at TIMESTAMP, plug SMALLINT NOT NULL, value DECIMAL(10,2) CHECK (value > 0), why STRING);
CREATE TABLE houses (plug BIGINT, owner STRING, since DATE) USING parquet;
INSERT INTO alarms VALUES (TIMESTAMP '2026-01-31 12:00:00', 1, 2.5, 'x'), ('2026-01-31', 70000, 1e9, NULL);
INSERT INTO alarms (at, plug) SELECT current_timestamp(), plug FROM houses WHERE owner IS NOT NULL;
INSERT INTO alarms (at, why) SELECT since, owner FROM houses;
EXPLAIN PHYSICAL INSERT INTO alarms (plug) VALUES (1);
