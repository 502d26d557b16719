/**
 * `npm run bench -- policies`: programs of a user with a row policy against those of a key to which policies do not apply, and a key against no
 * authentication. The scan of the key has the filter of the policy in its query.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { type ServerProcess, startSvc } from './server-process.ts';

const rows = 20_000;
const connections = 16;
const requestsMax = 5_000;
const condition =
  '{ kind: binary, op: eq, left: { kind: col, scope: row, column: owner }, right: { kind: claim, name: sub } }';
const schema = `tables:
  - name: note
    id: 1
    columns:
      - { name: id, id: 1, type: int64, pk: true }
      - { name: owner, id: 2, type: text }
      - { name: size, id: 3, type: int64 }
      - { name: body, id: 4, type: text }
policies:
  claims: { sub: text }
  tables:
    note:
      read: ${condition}
      create: same_as_read
      update: same_as_read
      delete: same_as_read
`;

const columns = {
  id: { name: 'id', type: 'int64' },
  owner: { name: 'owner', type: 'text' },
  size: { name: 'size', type: 'int64' },
  body: { name: 'body', type: 'text' },
};

const col = (column: string) => ({ kind: 'col', scope: 's', column });
const lit = (type: string, value: unknown) => ({
  ...{ kind: 'lit' },
  value: { type, value: String(value) },
});
const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });
const keyAt = (i: number) => (i * 7919) % rows;

function queryOf(predicate: object, counts = false): object {
  const nodes = {
    s: { kind: 'scan', table: 'note', scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
    ...(counts && { n: { kind: 'aggregate', input: 'f', aggs: [{ fn: 'count', as: 'n' }] } }),
  };
  const root = { node: counts ? 'n' : 'f', cardinality: 'first' };
  return { kind: 'query', name: 'q', relation: { nodes, root } };
}

function changeOf(kind: string, of: readonly object[], values: readonly unknown[][]): object {
  const rows = {
    kind: 'rows',
    scope: 'r',
    columns: of,
    rows: values.map((row) => row.map(String)),
  };
  const root = { node: 'r', cardinality: 'many' };
  return { kind, name: 'c', table: 'note', relation: { nodes: { r: rows }, root } };
}

const point = (i: number) => queryOf(binary('eq', col('id'), lit('int64', keyAt(i))));
const change = (i: number) =>
  changeOf('update', [columns.id, columns.body], [[keyAt(i), `text ${i}`]]);
/** The number differs, so that each query is executed. */
const small = (i: number) => binary('lt', col('size'), lit('int64', 50 + 100 * i));
const scan = (i: number) => queryOf(small(i), true);
const filtered = (i: number) =>
  queryOf(binary('and', binary('eq', col('owner'), lit('text', 'ada')), small(i)), true);

export async function benchPolicies(isQuick: boolean): Promise<readonly Measurement[]> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-keys-'));
  const keyFile = join(directory, 'bootstrap.key');
  const { text: bootstrap } = drawKey(systemWorld().random);
  writeFileSync(keyFile, bootstrap, { mode: 0o600 });
  const schemaMode = ['--storage', 'memory', '--catalog-mode', 'schema', '--log-level', 'error'];
  const withKeys = [...schemaMode, '--auth', 'keys', '--auth-bootstrap-key-file', keyFile];
  try {
    await using open = await startSvc([...schemaMode, '--auth', 'none']);
    await using closed = await startSvc(withKeys);
    await filled(open);
    await filled(closed, bootstrap);
    const bypass = await keyOf(closed, bootstrap, { policies: 'bypass' });
    const user = await keyOf(closed, bootstrap, { claims: { sub: 'ada' } });
    const side = (server: ServerProcess, statementOf: (i: number) => object, key?: string) =>
      sideOf(server.port, statementOf, isQuick ? 500 : 1_500, key);
    const compared = async (name: string, subject: Side, reference: Side) => {
      await subject();
      await reference();
      return pair(name, name.startsWith('key') ? 0.95 : 0.9, isQuick ? 5 : 9, {
        subject,
        reference,
      });
    };
    return [
      await compared(
        'key, point read, against no authentication',
        side(closed, point, bypass),
        side(open, point),
      ),
      await compared(
        'policy, point read, against bypass',
        side(closed, point, user),
        side(closed, point, bypass),
      ),
      await compared(
        'policy, update of a row, against bypass',
        side(closed, change, user),
        side(closed, change, bypass),
      ),
      await compared(
        `policy, scan of ${rows} rows, against its filter in the query`,
        side(closed, scan, user),
        side(closed, filtered, bypass),
      ),
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

type Side = () => Promise<number>;

function sideOf(
  port: number,
  statementOf: (i: number) => object,
  durationMs: number,
  key?: string,
): Side {
  const requests = Array.from({ length: requestsMax }, (_, i) =>
    prepare(
      port,
      'POST',
      '/execute',
      JSON.stringify({ statements: [statementOf(i)] }),
      headersOf(key),
    ),
  );
  let at = 0;
  const next = () => requests[at++ % requestsMax] as Uint8Array;
  return () => throughput(port, connections, durationMs, next);
}

function headersOf(key: string | undefined): Record<string, string> {
  return { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
}

/** Migrates to the schema and creates the rows, all of which belong to the user. */
async function filled({ port }: ServerProcess, key?: string): Promise<void> {
  const state = (await send(port, 'GET', '/schema', undefined, key)) as {
    readonly schema_version: number;
    readonly schema_hash: string;
  };
  await send(
    port,
    'POST',
    '/schema/migrate',
    {
      ...{ schema, accept_data_loss: false },
      current_version: state.schema_version,
      current_hash: state.schema_hash,
    },
    key,
  );
  for (let from = 0; from < rows; from += 1_000) {
    const values = Array.from({ length: 1_000 }, (_, i) => [
      from + i,
      'ada',
      (from + i) % 100,
      'text',
    ]);
    const statements = [changeOf('create', Object.values(columns), values)];
    await send(port, 'POST', '/execute', { statements }, key);
  }
}

async function keyOf({ port }: ServerProcess, bootstrap: string, rights: object): Promise<string> {
  const wish = { name: 'bench', scopes: ['read', 'write'], ...rights };
  return ((await send(port, 'POST', '/auth/keys', wish, bootstrap)) as { readonly key: string })
    .key;
}

async function send(
  port: number,
  method: string,
  path: string,
  body: object | undefined,
  key?: string,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: headersOf(key),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
