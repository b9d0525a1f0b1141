"""Dates and timestamps. A timestamp is UTC's wall clock in DuckDB, so no time zone can get in between."""

SCALAR = """
    add_months(date, int) -> date = {0} + to_months({1})
    date_add|dateadd(date, int) -> date = {0} + {1}
    date_diff|datediff(date, date) -> int = {0} - {1}
    date_from_unix_date(int) -> date = DATE '1970-01-01' + {0}
    date_sub(date, int) -> date = {0} - {1}
    day|dayofmonth(date) -> int = day({0})
    dayname(date) -> string = left(dayname({0}), 3)
    dayofweek(date) -> int = dayofweek({0}) + 1
    dayofyear(date) -> int = dayofyear({0})
    hour(timestamp) -> int = hour({0})
    last_day(date) -> date = last_day({0})
    make_date(int, int, int) -> date = TRY(make_date({0}, {1}, {2}))
    minute(timestamp) -> int = minute({0})
    month(date) -> int = month({0})
    monthname(date) -> string = left(monthname({0}), 3)
    quarter(date) -> int = quarter({0})
    second(timestamp) -> int = second({0})
    timestamp_micros(bigint) -> timestamp = make_timestamp({0})
    timestamp_millis(bigint) -> timestamp = make_timestamp({0} * 1000)
    timestamp_seconds(bigint) -> timestamp = make_timestamp({0} * 1000000)
    to_unix_timestamp|unix_timestamp(timestamp) -> bigint = epoch_us({0}) // 1000000
    unix_date(date) -> int = {0} - DATE '1970-01-01'
    unix_micros(timestamp) -> bigint = epoch_us({0})
    unix_millis(timestamp) -> bigint = epoch_us(date_trunc('millisecond', {0})) // 1000
    unix_seconds(timestamp) -> bigint = epoch_us(date_trunc('second', {0})) // 1000000
    weekday(date) -> int = isodow({0}) - 1
    weekofyear(date) -> int = weekofyear({0})
    year(date) -> int = year({0})
"""
