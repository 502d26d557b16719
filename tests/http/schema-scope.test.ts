/** A principal with the scope `schema` alone compares and migrates, also where rows are checked. */

import { expect, test } from 'bun:test';
import { databaseOver } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';
import { openMemoryEngine } from './support.ts';

const tableWith = (columns: string) =>
  `tables:\n  - id: 1\n    name: t\n    columns:\n      - { id: 1, name: a, type: int64 }\n      - { id: 2, name: n, type: int64${columns} }\n    primary_key: [a]\n`;

test('it starts to validate NOT NULL of a column whose rows it may not read', async () => {
  const engine = await openMemoryEngine();
  const open = databaseOver(engine);
  const column = (name: string) => ({ name, type: 'int64' });
  const columns = [column('a'), { ...column('n'), nullable: true }];
  await open.send('POST', '/tables', { name: 't', columns, primary_key: ['a'] });
  const rows = {
    kind: 'rows',
    scope: 'r',
    columns: [column('a'), column('n')],
    rows: [['1', '2']],
  };
  const relation = { nodes: { r: rows }, root: { node: 'r', cardinality: 'many' } };
  await open.send('POST', '/execute', {
    statements: [{ kind: 'create', name: 'c', table: 't', relation }],
  });
  const principal = keyPrincipal('s', { kind: 'token', scopes: new Set(['schema']) });
  const options = { authenticator: { authenticate: () => principal } };
  await using db = databaseOver(engine, undefined, options);

  const { json } = await db.send('GET', '/schema');
  const { schema_version, schema_hash } = json as Record<string, unknown>;
  const wish = {
    schema: tableWith(''),
    current_version: schema_version,
    current_hash: schema_hash,
  };
  const compared = await db.send('POST', '/schema/diff', { schema: wish.schema });
  expect([compared.status, compared.text]).toEqual([200, expect.any(String)]);
  const migrated = await db.send('POST', '/schema/migrate', wish);
  expect([migrated.status, (migrated.json as { readonly state: string }).state]).toEqual([
    200,
    'converging',
  ]);
  const query = {
    nodes: { s: { kind: 'scan', table: 't', scope: 's' } },
    root: { node: 's', cardinality: 'exactly_one' },
  };
  expect((await db.send('QUERY', '/execute', query)).status).toBe(403);
});
