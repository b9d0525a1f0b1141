CREATE STREAM s (id INT, place STRUCT<x: INT, inner: STRUCT<y: STRING>>, tags ARRAY<STRING>, scores MAP<STRING, DOUBLE>,
                 path ARRAY<STRUCT<x: INT>>);

CREATE CONTINUOUS QUERY q1 AS
SELECT place.x, place.inner.y, tags[0] AS first, scores['a'] AS a, path.x AS xs, path[1].x AS second FROM s;

CREATE CONTINUOUS QUERY q2 AS
SELECT s.place.x AS x, struct(id, place.x AS px) AS pair, named_struct('a', id, 'b', 2) AS named, array(id, 2) AS ids, map('k', id) AS m FROM s;

CREATE CONTINUOUS QUERY q3 AS
SELECT struct(id, 2).col2 AS two, (id, 'x') AS tuple_of, element_at(tags, 1) AS first, size(scores) AS n FROM s;

CREATE CONTINUOUS QUERY q4 AS
SELECT id FROM s WHERE place = named_struct('x', 1, 'inner', named_struct('y', 'a'));
