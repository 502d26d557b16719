/** Functions of values: the calls of LIR under their names in SQL. */

import type { Env, Operand, Typed } from './compilation.ts';

export interface FunctionUse {
  readonly name: string;
  readonly args: readonly Operand[];
  readonly location: number | undefined;
}

/** Functions of PostgreSQL that svc does not have. */
const missing: ReadonlySet<string> = new Set(
  (
    'lower upper length char_length character_length octet_length bit_length substring substr position strpos ' +
    'replace btrim ltrim rtrim left right lpad rpad repeat reverse split_part concat concat_ws starts_with md5 ' +
    'encode decode initcap ascii chr overlay translate format quote_ident quote_literal mod abs sign round trunc ' +
    'ceil ceiling floor power sqrt exp ln log log10 div random gen_random_uuid date_trunc date_part extract ' +
    'date_bin age to_char to_timestamp to_date make_date timezone clock_timestamp timeofday nextval currval ' +
    'setval lastval generate_series unnest array_length array_to_string string_to_array cardinality ' +
    'json_build_object json_build_array jsonb_build_object row_to_json to_json to_jsonb regexp_replace ' +
    'regexp_matches regexp_match similar_to_escape pg_sleep pg_advisory_lock pg_advisory_unlock ' +
    'pg_advisory_xact_lock pg_try_advisory_lock sha256 greatest least'
  ).split(' '),
);

export function scalarFunction({ compilation }: Env, use: FunctionUse): Typed | undefined {
  const { name, location } = use;
  if (missing.has(name)) throw compilation.unsupported(`function ${name}`, location);
  return undefined;
}
