/** Names of functions of PostgreSQL that svc does not have. Other names do not exist. */

export const missingFunctions: ReadonlySet<string> = new Set(
  (
    'lower upper length char_length character_length octet_length bit_length substring substr position strpos ' +
    'replace btrim ltrim rtrim left right lpad rpad repeat reverse split_part concat concat_ws starts_with md5 ' +
    'encode decode initcap ascii chr overlay translate format quote_ident quote_literal quote_nullable mod abs ' +
    'sign round trunc ceil ceiling floor power pow sqrt cbrt exp ln log log10 div pi random setseed width_bucket ' +
    'gen_random_uuid date_trunc date_part extract date_bin age to_char to_timestamp to_date to_number make_date ' +
    'make_timestamp make_interval timezone clock_timestamp timeofday isfinite nextval currval setval lastval ' +
    'generate_series generate_subscripts unnest array_length array_upper array_lower array_position array_append ' +
    'array_cat array_remove array_to_string string_to_array cardinality json_build_object json_build_array ' +
    'jsonb_build_object jsonb_build_array row_to_json to_json to_jsonb json_array_length jsonb_array_length ' +
    'json_extract_path json_extract_path_text jsonb_set jsonb_pretty jsonb_typeof json_typeof regexp_replace ' +
    'regexp_matches regexp_match regexp_split_to_array regexp_split_to_table similar_to_escape pg_sleep ' +
    'pg_advisory_lock pg_advisory_unlock pg_advisory_xact_lock pg_try_advisory_lock pg_try_advisory_xact_lock ' +
    'sha224 sha256 sha384 sha512 set_config current_schemas pg_get_userbyid ' +
    'pg_table_is_visible format_type pg_get_expr obj_description col_description has_table_privilege ' +
    'has_schema_privilege has_database_privilege pg_is_in_recovery pg_typeof pg_size_pretty pg_relation_size ' +
    'pg_total_relation_size pg_cancel_backend pg_terminate_backend txid_current pg_encoding_to_char to_regclass ' +
    'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value to_hex ' +
    'sin cos tan asin acos atan atan2 degrees radians trim_scale gcd lcm factorial num_nulls num_nonnulls'
  ).split(' '),
);
