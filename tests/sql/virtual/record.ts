/** `bun run tests/sql/virtual/record.ts`: writes `src/sql/virtual/pg-type.json` from the PostgreSQL 15 that the variables of libpq select. */

import { join } from 'node:path';
import { allTypes } from '#sql';

const columns = `select json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull) order by attnum)
  from pg_attribute where attrelid = 'pg_type'::regclass and attnum > 0`;
const oids = allTypes.map(({ oid }) => oid).join();
const rows = `select json_agg(row_to_json(t) order by oid) from pg_type t where oid in (${oids})`;

function answer(query: string): unknown {
  const { stdout, stderr } = Bun.spawnSync(['psql', '-XqAt', '-c', query]);
  if (stderr.length > 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

const names = answer(columns) as readonly (readonly [string, string, boolean])[];
const records = answer(rows) as readonly Record<string, unknown>[];
const lines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join(',\n');
const cells = records.map((record) => names.map(([name]) => numbered(record[name])));
const path = join(import.meta.dir, '../../../src/sql/virtual/pg-type.json');
await Bun.write(path, `{"columns": [\n${lines(names)}\n],\n"rows": [\n${lines(cells)}\n]}\n`);

/** Numbers of objects are strings in the JSON of PostgreSQL. */
function numbered(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}
