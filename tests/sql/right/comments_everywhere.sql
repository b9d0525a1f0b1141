-- first
CREATE /* a */ STREAM plugs -- the plugs
(id /* key */ BIGINT, ts TIMESTAMP, /* /* nested */ */ value DOUBLE);
/* before */
CREATE CONTINUOUS QUERY q AS -- why
SELECT /*+ BROADCAST(p) */ id, /* ; */ count(*) AS n -- ';'
FROM plugs /* here */ [ /* a window */ RANGE /* of */ 5 MINUTES -- five
  SLIDE 1 MINUTE ]
GROUP /* between */ BY id ORDER -- also
BY n; -- last
/* end */