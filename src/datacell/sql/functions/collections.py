"""Arrays, maps, structs, vectors, and the functions that take lambdas."""

SCALAR = """
    aggregate|reduce(array<T>, A, (A, T) -> A) -> A
    aggregate|reduce(array<T>, A, (A, T) -> A, (A) -> R) -> R
    array(T*) -> array<T>
    array_append|array_prepend|array_remove(array<T!>, T!) -> array<T>
    array_compact(array<T>) -> array<T>
    array_distinct(array<orderable>) -> 1
    array_contains(array, any) -> @contained
    array_except|array_intersect|array_union(array<T!>, array<T!>) -> array<T>
    array_insert(array<T!>, smallint!|tinyint!|int!, T!) -> array<T>
    array_join(array<string>, string!, string!?) -> string
    array_max|array_min(array<T>) -> T
    array_position(array<T!>, T!) -> bigint
    array_repeat(T, int!) -> array<T>
    array_size(array<T>) -> int
    array_sort(array<T>) -> array<T>
    array_sort(array<T>, (T, T) -> int!) -> array<T>
    arrays_overlap(array<T!>, array<T!>) -> boolean
    arrays_zip(array*) -> @arrays_zip
    cardinality|size(array|map) -> int
    element_at|try_element_at(array<T>, smallint!|tinyint!|int!) -> T
    element_at|try_element_at(map<K!,V>, K!) -> V
    exists|forall(array<T>, (T) -> boolean) -> boolean
    filter(array<T>, (T) -> boolean) -> array<T>
    filter(array<T>, (T, int) -> boolean) -> array<T>
    flatten(array<array<T>>) -> array<T>
    get(array<T>, int) -> T
    map([K, V]*) -> map<K,V>
    map_concat(map<K,V>*) -> map<K,V>
    map_contains_key(map<K!,V>, K!) -> boolean
    map_entries(map<K,V>) -> array<struct<key:K,value:V>>
    map_filter(map<K,V>, (K, V) -> boolean) -> map<K,V>
    map_from_arrays(array<K>, array<V>) -> map<K,V>
    map_from_entries(array<struct<K,V>>) -> map<K,V>
    map_keys(map<K,V>) -> array<K>
    map_values(map<K,V>) -> array<V>
    map_zip_with(map<K,V>, map<K,W>, (K, V, W) -> R) -> map<K,R>
    named_struct(any*) -> @named_struct
    reverse(string|binary) -> 1
    reverse(array<T>) -> array<T>
    sequence(integer!, integer!, integer!?) -> @widest_array
    sequence(date!|instant!, date!|instant!, interval!|ansi_interval!?) -> @widest_array
    slice(array<T>, int, int) -> array<T>
    sort_array(array<orderable>, boolean?) -> 1
    struct(any*) -> @struct
    transform(array<T>, (T) -> U) -> array<U>
    transform(array<T>, (T, int) -> U) -> array<U>
    transform_keys(map<K,V>, (K, V) -> R) -> map<R,V>
    transform_values(map<K,V>, (K, V) -> R) -> map<K,R>
    vector_cosine_similarity|vector_inner_product|vector_l2_distance(array<float!>, array<float!>) -> float
    vector_norm(array<float!>, float!?) -> float
    vector_normalize(array<float!>, float!?) -> array<float>
    zip_with(array<T>, array<U>, (T, U) -> R) -> array<R>
"""
