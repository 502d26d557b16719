/** Schemas over HTTP: which state a client may go on with, and which database a migration is meant for. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { openMemoryEngine, openTestHandler, type Send, testLimits } from './support.ts';

const limits = { ...testLimits, bodyBytesMax: 1 << 16, arrivingBytesMax: 1 << 20 };
const headers = { 'content-type': 'application/json' };

let engine: Engine;
let send: Send;
let version: number;
let hash: string;

beforeAll(async () => {
  engine = await openMemoryEngine();
  ({ send } = openTestHandler({ engine }, { limits }));
  for (const name of ['t', 'u']) {
    const columns = [{ name: 'a', type: 'int64' }];
    const body = JSON.stringify({ name, columns, primary_key: ['a'] });
    expect((await send('POST', '/tables', { body, headers })).status).toBe(200);
  }
  const { json } = await send('GET', '/schema');
  [version, hash] = [Number(json['schema_version']), String(json['schema_hash'])];
});

afterAll(() => engine.close());

const post = (path: string, body: object) =>
  send('POST', path, { body: JSON.stringify(body), headers });

describe('a client', () => {
  const other = `sha256:${'0'.repeat(64)}`;
  const asked = async (by: number, its: string) => {
    const body = { schema_version: version + by, schema_hash: its };
    const { status, json } = await post('/schema/compatibility', body);
    return [status, json['reason']];
  };

  test('of this very schema goes on', async () => {
    expect(await asked(0, hash)).toEqual([204, undefined]);
  });

  test('of an earlier or a later version, or of another history, is told which of them', async () => {
    const [earlier] = await asked(-1, hash);
    const reasons = [
      (await asked(-1, hash))[1],
      (await asked(-1, other))[1],
      (await asked(1, hash))[1],
      (await asked(1, other))[1],
      (await asked(0, other))[1],
    ];
    expect(reasons).toEqual([
      'schema_client_outdated',
      'schema_client_outdated',
      'schema_server_outdated',
      'schema_server_outdated',
      'schema_history_diverged',
    ]);
    expect(earlier).toBe(422);
  });
});

describe('a migration', () => {
  const schema = (more = '') =>
    `tables:\n  - id: 1\n    name: t\n    columns:\n      - { id: 1, name: a, type: int64, pk: true }\n${more}  - id: 2\n    name: u\n    columns:\n      - { id: 1, name: a, type: int64, pk: true }\n`;
  const wish = (text: string, more: object = {}) => ({
    ...{ schema: text, current_version: version, current_hash: hash },
    ...more,
  });

  test('for another database is refused, and nothing has changed', async () => {
    const meant = '0'.repeat(32);
    const { status, json } = await post('/schema/migrate', wish(schema(), { database_id: meant }));
    expect([status, json['reason']]).toEqual([409, 'serializable_conflict']);
    expect(json['detail']).toContain(`compared with database ${meant}, but this is database`);
    expect((await send('GET', '/schema')).json['schema_hash']).toBe(hash);
  });

  test('to what is there is ready at once, for this database or any', async () => {
    for (const more of [{}, { database_id: engine.identity }]) {
      const { status, json } = await post('/schema/migrate', wish(schema(), more));
      expect(status).toBe(200);
      expect(json).toMatchObject({
        ...{ state: 'ready', changes: [], transition_ids: [] },
        ...{ desired_hash: hash, schema_hash: hash },
      });
    }
  });

  test('loses rows only where that is accepted', async () => {
    const run = await post('/execute', {
      statements: [
        {
          kind: 'create',
          name: 'c',
          table: 'u',
          relation: {
            nodes: {
              r: {
                ...{ kind: 'rows', scope: 'r' },
                columns: [{ name: 'a', type: 'int64', nullable: false }],
                rows: [['1']],
              },
            },
            root: { node: 'r', cardinality: 'many' },
          },
        },
      ],
    });
    expect(run.status).toBe(200);
    const without = schema().slice(0, schema().indexOf('  - id: 2'));
    const loss = { kind: 'delete_table', table: 'u' };
    const refused = [
      {},
      { accept_data_loss: false },
      { accepted_losses: [loss] },
      { accept_data_loss: true, accepted_losses: [] },
    ];
    for (const more of refused) {
      const { json } = await post('/schema/migrate', wish(without, more));
      expect(json['reason']).toBe('schema_data_loss_acceptance_required');
    }
    const more = { accept_data_loss: true, accepted_losses: [loss] };
    expect((await post('/schema/migrate', wish(without, more))).json['state']).toBe('ready');
  });
});
