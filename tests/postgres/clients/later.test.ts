/** The scenarios that svc refuses may only become fewer: each file has its number of them, which is lowered with them. */

import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ceilings: Readonly<Record<string, number>> = {
  'drizzle.test.ts': 2,
  'go/pgx.go': 1,
  'kysely.test.ts': 2,
  'node-postgres.test.ts': 2,
  'pgbench.test.ts': 1,
  'postgres-js.test.ts': 1,
  'psql.test.ts': 4,
  'python/with_asyncpg.py': 2,
  'python/with_psycopg.py': 1,
  'python/with_sqlalchemy.py': 4,
};

/** Step and subject, as in `issues/32`. */
const reason = /\blater(?:: |=|\()['"]step [A-F], [^'"]+['"]/g;

test('no scenario is refused but those that are counted', () => {
  const counts = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:\.test\.ts|with_\w+\.py|pgx\.go)$/.test(name))
    .map((name) => [name, readFileSync(join(import.meta.dir, name), 'utf8')] as const)
    .map(([name, text]) => [name, text.match(reason)?.length ?? 0] as const)
    .filter(([, count]) => count > 0);
  expect(Object.fromEntries(counts.sort())).toEqual(ceilings);
});
