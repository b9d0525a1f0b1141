"""What asks the session, the clock, the dice or the machine instead of the rows; `refused` says which of them where."""

SCALAR = """
    current_catalog|current_database|current_path|current_schema|current_user|session_user|user|version() -> string
    current_timezone() -> string
    curdate|current_date() -> date
    current_timestamp|now() -> timestamp
    localtimestamp() -> timestamp_ntz
    current_time|localtime(int?) -> @time_digits
    rand|randn|random(bigint?) -> double
    randstr(int, int?) -> string
    shuffle(array<T>, bigint?) -> array<T>
    uniform(number, number, int?) -> @widest_bound
    uuid(bigint?) -> string
    input_file_block_length|input_file_block_start|monotonically_increasing_id() -> bigint
    input_file_name() -> string
    spark_partition_id() -> int
    java_method|reflect|try_reflect(string, string, any*) -> string
    collation(string) -> string
"""
