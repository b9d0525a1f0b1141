CREATE STREAM s WITH (format = 'csv');
