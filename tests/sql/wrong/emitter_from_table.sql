CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE EMITTER e FROM houses WITH (format = 'csv');
