"""Functions of a row's place among others: only with OVER. And functions that make rows: their type is a struct of
the columns they make."""

RANKING = """
    counter_diff(number!, instant!?) -> 1
    cume_dist|percent_rank() -> double
    dense_rank|rank(any*) -> int
    lag|lead(T, int?) -> T
    lag|lead(T, int, T) -> T
    nth_value(T, int, boolean?) -> T
    ntile(int!?) -> int
    percent_rank(any*) -> double
    row_number() -> int
"""

GENERATOR = """
    explode|explode_outer(array<T>) -> struct<col:T>
    explode|explode_outer(map<K,V>) -> struct<key:K,value:V>
    inline|inline_outer(array<struct>) -> @inlined
    json_tuple(string!, string!, string!*) -> @json_columns
    posexplode|posexplode_outer(array<T>) -> struct<pos:int,col:T>
    posexplode|posexplode_outer(map<K,V>) -> struct<pos:int,key:K,value:V>
    stack(int, any, any*) -> @stacked_columns
    variant_explode|variant_explode_outer(variant) -> struct<pos:int,key:string,value:variant>
"""
