CREATE STREAM s (place STRUCT<x: INT, y: INT>);
SELECT place.z FROM s;
