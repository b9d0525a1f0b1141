"""JSON, CSV, XML and variants."""

SCALAR = """
    from_csv(string!, string!, map<string,string!>?) -> @row_schema
    from_json(string!, string!, map<string,string!>?) -> @schema
    from_xml(string!, string!, map<string,string!>?) -> @row_schema
    get_json_object(string!, string!) -> string
    is_valid_variant|is_variant_null(variant) -> boolean
    json_array_length(string!) -> int
    json_object_keys(string!) -> array<string>
    parse_json|try_parse_json(string!) -> variant
    schema_of_csv|schema_of_json|schema_of_xml(string, map<string,string!>?) -> string
    schema_of_variant(variant) -> string
    to_csv|to_xml(struct, map<string,string!>?) -> string
    to_json(struct|map|array|variant, map<string,string!>?) -> string
    to_variant_object(array|map|struct) -> variant
    try_variant_array_append|variant_array_append(variant, string!, variable) -> variant
    try_variant_get|variant_get(variant, string!) -> variant
    try_variant_get|variant_get(variant, string!, string!) -> @variant_type
    try_variant_insert|variant_insert(variant, string!, variable) -> variant
    try_variant_set|variant_set(variant, string!, variable, boolean?) -> variant
    variant_delete(variant, string!, string!*) -> variant
    variant_strip_nulls(variant, boolean?) -> variant
    xpath(string!, string!) -> array<string>
    xpath_boolean(string!, string!) -> boolean
    xpath_double|xpath_number(string!, string!) -> double
    xpath_float(string!, string!) -> float
    xpath_int(string!, string!) -> int
    xpath_long(string!, string!) -> bigint
    xpath_short(string!, string!) -> smallint
    xpath_string(string!, string!) -> string
"""
