"""What statements may reach that somebody else has written, and what no statement may set."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.errors import SqlError
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.safe import Safety

STREAM = "CREATE STREAM s (a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);"
QUERY = "CREATE CONTINUOUS QUERY q AS SELECT a FROM s;"

REFUSED = [
    "ADD JAR '/tmp/x.jar'",
    "ADD FILE '/tmp/x'",
    "ADD ARCHIVE '/tmp/x.zip'",
    "LIST JARS",
    "CREATE FUNCTION f AS 'x.Y'",
    "CREATE FUNCTION f AS 'x.Y' USING JAR '/allowed/x.jar'",
    "CREATE TEMPORARY FUNCTION f AS 'x.Y'",
    "CREATE OR REPLACE FUNCTION f(a INT) RETURNS INT LANGUAGE PYTHON AS $$ return a $$",
    "SELECT reflect('java.lang.System', 'exit', 0)",
    "SELECT java_method('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT try_reflect('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT `reflect`('java.lang.System', 'getProperty', 'user.dir')",
    "CREATE TEMPORARY VIEW v AS SELECT reflect('java.lang.System', 'exit', 0)",
    "INSERT INTO t SELECT /* */ java_method /* */ ('java.lang.System', 'exit', 0)",
    "EXPLAIN CREATE TABLE t AS SELECT reflect('java.lang.System', 'exit', 0)",
    "CREATE TEMPORARY VIEW v AS SELECT * FROM csv.`/etc/passwd`",
    "INSERT INTO parquet.`/allowed/../etc` SELECT 1",
    "CREATE TEMPORARY VIEW v AS SELECT TRANSFORM(a) USING 'cat' AS (b) FROM VALUES (1) AS t(a)",
    "CREATE TEMPORARY VIEW v AS FROM t MAP a USING 'cat' AS b",
    "CREATE TABLE t (a INT) LOCATION '/etc'",
    "CREATE TABLE t (a INT) USING csv LOCATION 'relative'",
    "CREATE TABLE t (a INT) USING csv LOCATION 's3a://bucket/x'",
    "CREATE TABLE t (a INT) USING csv LOCATION '/ro' 'ot/../etc'",
    "CREATE TABLE t USING csv OPTIONS (path '/etc/passwd')",
    "CREATE TABLE t USING csv OPTIONS ('path' = '/etc/passwd')",
    "CREATE TABLE t USING csv OPTIONS (path = '/e' || 'tc')",
    "CREATE TEMPORARY VIEW v USING text OPTIONS (path '/etc/passwd')",
    "CREATE TABLE t USING jdbc OPTIONS (url 'jdbc:postgresql://h/x', dbtable 'd')",
    "CREATE TABLE t USING org.apache.spark.sql.jdbc",
    "CREATE TABLE t (a INT) ROW FORMAT SERDE 'x.Y'",
    "CREATE TABLE t (a INT) STORED AS INPUTFORMAT 'x.Y' OUTPUTFORMAT 'x.Z'",
    "CREATE DATABASE d LOCATION '/etc'",
    "INSERT OVERWRITE DIRECTORY '/etc' USING csv SELECT 1",
    "LOAD DATA INPATH '/etc/passwd' INTO TABLE t",
    "ALTER TABLE t SET LOCATION '/etc'",
    "REFRESH '/etc'",
    "MSCK REPAIR TABLE t",
    "CALL system.x()",
    "EXECUTE IMMEDIATE 'ADD JAR x'",
    "SET spark.hadoop.fs.s3a.endpoint = evil",
    "SET spark.sql.catalog.x = evil.Catalog",
    "SET x = 1",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '/etc')",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '/allowed/../etc/*')",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '/allowed/{a,../etc}')",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '/ro*/a')",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = 's3a://bucket/x')",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '/allowed/a', sourceArchiveDir = '/etc')",
    "CREATE STREAM z (a INT) WITH (format = 'kafka', kafka.bootstrap.servers = 'h:1', subscribe = 'x')",
    "CREATE STREAM z (a INT) WITH (format = 'socket', host = 'h', port = '1')",
    "CREATE STREAM z (a INT) WITH (format = 'evil.Source')",
    "CREATE STREAM z (a INT) WITH (format = 'tcp', port = '1', host = '0.0.0.0')",
    "CREATE EMITTER e FROM q WITH (format = 'csv', path = '/etc/out')",
    "CREATE EMITTER e FROM q WITH (format = 'jdbc', url = 'jdbc:postgresql://h/x')",
    "CREATE EMITTER e FROM q WITH (format = 'tcp', port = '1', host = '::')",
]
ALLOWED = [
    "SELECT count(*) FROM s",
    "SELECT transform(array(1), x -> x + 1)",
    "SELECT 'reflect(' AS a",
    "CREATE TEMPORARY VIEW v AS SELECT 1 AS a",
    "CREATE TEMPORARY VIEW v AS SELECT * FROM VALUES (1) AS a(k) JOIN VALUES (1) AS b(k) USING (k)",
    "CREATE TABLE t (a INT) USING parquet",
    "CREATE TABLE t (a INT) USING csv OPTIONS (header 'true', path '{root}/t')",
    "CREATE TABLE t (a INT) USING json LOCATION '{root}/t'",
    "CREATE FUNCTION f(a INT) RETURNS INT RETURN a + 1",
    "INSERT INTO t VALUES (1)",
    "DROP TABLE t",
    "SHOW TABLES",
    "SET spark.sql.shuffle.partitions = 4",
    "SET spark.sql.ansi.enabled",
    "CREATE STREAM z (a INT) WITH (format = 'csv', path = '{root}/in/*.csv', header = 'true')",
    "CREATE STREAM z (a INT) WITH (format = 'tcp', port = '1')",
    "CREATE STREAM z (a INT)",
    "CREATE EMITTER e FROM q WITH (format = 'csv', path = '{root}/out')",
    "CREATE EMITTER e FROM q WITH (format = 'tcp', port = '1', host = '127.0.0.1')",
    "CREATE EMITTER e FROM q WITH (format = 'console')",
]
MEANING = [
    "SET spark.sql.ansi.enabled = true",
    "SET `spark.sql.ansi.enabled` = true",
    "set SPARK.SQL.ANSI.ENABLED=true",
    "SET spark.sql.session.timeZone = 'Europe/Berlin'",
    "SET TIME ZONE 'Europe/Berlin'",
    "SET TIME ZONE LOCAL",
    "SET TIME ZONE INTERVAL 1 HOUR",
    "SET spark.sql.caseSensitive = true",
    "SET spark.sql.legacy.timeParserPolicy = LEGACY",
    "SET spark.sql.legacy.whatever = 1",
    "SET spark.sql.timestampType = TIMESTAMP_NTZ",
    "SET spark.sql.orderByOrdinal = false",
    "SET spark.sql.something.new = 1",
    "RESET",
    "RESET spark.sql.ansi.enabled",
]


def bound(text: str, safety: Safety | None) -> None:
    catalog = script.defined(STREAM + QUERY)
    for source, tokens in script.statements(text):
        script.bind(source, tokens, catalog or Catalog(), safety)


@pytest.mark.parametrize("statement", REFUSED)
def test_a_safe_cell_refuses_what_reaches_further(statement: str) -> None:
    with pytest.raises(SqlError) as raised:
        bound(statement, Safety((Path("/allowed"),)))
    assert raised.value.place is not None


@pytest.mark.parametrize("statement", ALLOWED)
def test_a_safe_cell_lets_the_rest_through(statement: str, tmp_path: Path) -> None:
    bound(statement.format(root=tmp_path), Safety((Path("/nowhere"), tmp_path)))


@pytest.mark.parametrize("statement", MEANING)
def test_no_statement_changes_what_queries_mean(statement: str) -> None:
    with pytest.raises(SqlError, match="would change what queries mean"):
        bound(statement, None)


def test_a_root_is_not_left_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path)
    safety = Safety((tmp_path / "root",))
    assert safety.allows(f"{tmp_path}/root/a/b")
    assert safety.allows(f"file://{tmp_path}/root/*.csv")
    assert not safety.allows(f"{tmp_path}/root/link/a")
    assert not safety.allows(f"{tmp_path}/root\0")
    assert not safety.allows(f"{tmp_path}/rootless")


def test_without_roots_no_file_is_reached() -> None:
    assert not Safety().allows(str(Path.cwd()))
