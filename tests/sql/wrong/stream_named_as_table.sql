CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE STREAM Houses (a INT);
