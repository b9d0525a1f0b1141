CREATE TABLE houses (plug INT, owner STRING) USING parquet;
SELECT * EXCEPT (plug, owner) FROM houses;
