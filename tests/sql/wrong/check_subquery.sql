CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE STREAM s (a INT CHECK (a IN (SELECT plug FROM houses)));
