"""Numbers, bits and hashes."""

SCALAR = """
    abs(number|ansi_interval) -> 1
    acos|acosh|asin|asinh|atan|atanh|cbrt|cos|cosh|cot|csc|degrees|exp|expm1(double) -> double
    ln|log10|log1p|log2|radians|rint|sec|sin|sinh|sqrt|tan|tanh(double) -> double
    atan2|hypot|pow|power(double, double) -> double
    bit_count(integer|boolean) -> int
    bit_get|getbit(integer, int) -> tinyint
    bitmap_bit_position|bitmap_bucket_number(bigint) -> bigint
    bitmap_count(binary) -> bigint
    bround|round(number, int?) -> @rounded
    ceil|ceiling|floor(number) -> @ceiled
    ceil|ceiling|floor(decimal, int) -> @rounded
    conv(string, int, int) -> string
    crc32(binary) -> bigint
    div(any, any) -> @whole_quotient
    e|pi() -> double
    factorial(int) -> bigint
    format_number(number!, int!|string!) -> string
    greatest|least(orderable, orderable, orderable*) -> @widest
    hash(hashable, hashable*) -> int
    xxhash64(hashable, hashable*) -> bigint
    log(double, double?) -> double
    md5(binary) -> string
    mod|pmod|try_mod(any, any) -> @remainder
    nanvl(float!, float!) -> float
    nanvl(double, double) -> double
    negative(number|interval|ansi_interval) -> 1
    positive(number|interval|ansi_interval) -> 1
    sha|sha1(binary) -> string
    sha2(binary, int) -> string
    hmac(binary, binary, string?) -> binary
    shiftleft|shiftright|shiftrightunsigned(int|bigint, int) -> 1
    sign|signum(double|ansi_interval) -> double
    to_number|try_to_number(string, string) -> @number_format
    try_add(any, any) -> @sum
    try_divide(any, any) -> @quotient
    try_multiply(any, any) -> @product
    try_subtract(any, any) -> @difference
    width_bucket(double, double, double, bigint) -> bigint
    width_bucket(yearmonth, yearmonth, yearmonth, bigint) -> bigint
    width_bucket(daytime, daytime, daytime, bigint) -> bigint
    aes_encrypt(binary, binary, string?, string?, binary?, binary?) -> binary
    aes_decrypt|try_aes_decrypt(binary, binary, string?, string?, binary?) -> binary
"""
