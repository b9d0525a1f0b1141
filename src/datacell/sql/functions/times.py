"""Dates, timestamps and intervals."""

SCALAR = """
    add_months(date, int) -> date
    convert_timezone(string, string, timestamp_ntz) -> timestamp_ntz
    convert_timezone(string, timestamp_ntz) -> timestamp_ntz
    date_add|date_sub|dateadd(date, days) -> date
    date_add|dateadd|timestampadd(unit, bigint, instant) -> 3
    date_diff|datediff(date, date) -> int
    date_diff|datediff|timestampdiff(unit, instant, instant) -> bigint
    date_format(timestamp|time, string) -> string
    date_from_unix_date(int) -> date
    date_part|datepart|extract(string, date|instant|interval|ansi_interval) -> @date_part
    date_trunc(string, timestamp) -> timestamp
    day|dayofmonth|dayofweek|dayofyear|month|quarter|weekday|weekofyear|year(date) -> int
    dayname|monthname(date) -> string
    from_unixtime(bigint, string?) -> string
    from_utc_timestamp|to_utc_timestamp(timestamp, string) -> timestamp
    hour|minute|second(instant) -> int
    last_day(date) -> date
    make_date(int, int, int) -> date
    make_dt_interval(int?, int?, int?, decimal?) -> interval day to second
    make_interval(int?, int?, int?, int?, int?, int?, decimal?) -> interval
    try_make_interval(int, int?, int?, int?, int?, int?, decimal?) -> interval
    make_timestamp|make_timestamp_ltz(int, int, int, int, int, decimal, string?) -> timestamp
    try_make_timestamp|try_make_timestamp_ltz(int, int, int, int, int, decimal, string?) -> timestamp
    make_timestamp|try_make_timestamp(date!, time!?, string?) -> timestamp
    make_timestamp_ltz|try_make_timestamp_ltz(date, time, string?) -> timestamp
    make_timestamp_ntz|try_make_timestamp_ntz(int, int, int, int, int, decimal) -> timestamp_ntz
    make_timestamp_ntz|try_make_timestamp_ntz(date, time) -> timestamp_ntz
    make_ym_interval(int?, int?) -> interval year to month
    months_between(timestamp, timestamp, boolean?) -> double
    next_day(date, string) -> date
    time_bucket(ansi_interval, instant!, instant!?) -> 2
    timestamp_micros|timestamp_millis(integer!) -> timestamp
    timestamp_seconds(number!) -> timestamp
    to_date|try_to_date(string|date|instant, string?) -> date
    to_timestamp|to_timestamp_ltz|try_to_timestamp(string|date|instant|number) -> timestamp
    to_timestamp|to_timestamp_ltz|try_to_timestamp(string!|date!|instant!, string) -> timestamp
    to_timestamp_ntz(string|date|instant, string?) -> timestamp_ntz
    to_unix_timestamp(string!|date!|instant!, string!?) -> bigint
    trunc(date, string) -> date
    unix_date(date!) -> int
    unix_micros|unix_millis|unix_seconds(instant!) -> bigint
    unix_timestamp(string!|date!|instant!, string!?) -> bigint
"""
