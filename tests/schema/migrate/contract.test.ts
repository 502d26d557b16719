/** The schema endpoints as HTTP sees them: shapes, statuses, precedence. */

import { describe, expect, test } from 'bun:test';
import { emptyCatalog, policyHash } from '#catalog';
import { openMemoryEngine, openTestHandler } from '../../http/support.ts';
import { openProject, schema, table } from './support.ts';

const empty = 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
const json = { 'content-type': 'application/json' };

test('the schema of a fresh database', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine() });
  const { status, json: body } = await send('GET', '/schema');
  expect([status, body]).toEqual([
    200,
    {
      ...{ schema_version: 0, schema_hash: empty, schema: { tables: [] } },
      policy_hash: policyHash(emptyCatalog),
    },
  ]);
});

describe('compatibility', () => {
  const rows: [string, object, number, string | undefined][] = [
    ['the same', { schema_version: 0, schema_hash: empty }, 204, undefined],
    ['an older client', { schema_version: -1, schema_hash: empty }, 422, 'schema_client_outdated'],
    ['a newer client', { schema_version: 1, schema_hash: empty }, 422, 'schema_server_outdated'],
    ['another history', { schema_version: 0, schema_hash: 'x' }, 422, 'schema_history_diverged'],
    ['a missing member', { schema_version: 0 }, 422, 'schema_violation'],
    ['another type', { schema_version: '0', schema_hash: empty }, 422, 'schema_violation'],
  ];
  test.each(rows)('%s', async (_name, body, status, reason) => {
    const { send } = openTestHandler({ engine: await openMemoryEngine() });
    const answer = await send('POST', '/schema/compatibility', {
      headers: json,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(status);
    if (reason === undefined) expect(answer.text).toBe('');
    else expect(answer.json).toMatchObject({ code: 'invalid', reason, stage: 'schema' });
  });

  test('no body, no JSON', async () => {
    const { send } = openTestHandler({ engine: await openMemoryEngine() });
    for (const body of ['', '{']) {
      const answer = await send('POST', '/schema/compatibility', { headers: json, body });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ reason: 'schema_violation' });
    }
  });
});

describe('bodies', () => {
  const rows: [string, string, string, number, string][] = [
    ['diff', 'no schema', '{}', 422, '/body'],
    ['diff', 'an unknown member', '{"schema":"tables: []","x":1}', 422, '/body/x'],
    ['diff', 'no text', '{"schema":1}', 422, '/body/schema'],
    ['diff', 'no JSON', '{"schema"', 400, '/body'],
    ['migrate', 'no version', '{"schema":"tables: []","current_hash":""}', 422, '/body'],
    [
      'migrate',
      'a fraction',
      '{"schema":"","current_version":1.5,"current_hash":""}',
      422,
      '/body/current_version',
    ],
    [
      'migrate',
      'no flag',
      '{"schema":"","current_version":1,"current_hash":"","accept_data_loss":1}',
      422,
      '/body/accept_data_loss',
    ],
  ];
  test.each(rows)('%s: %s', async (path, _name, body, status, pointer) => {
    const { send } = openTestHandler({ engine: await openMemoryEngine() });
    const answer = await send('POST', `/schema/${path}`, { headers: json, body });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      reason: 'schema_violation',
      stage: 'schema',
      location: { pointer },
    });
  });

  test('the media type comes before the body', async () => {
    const { send } = openTestHandler({ engine: await openMemoryEngine() });
    const answer = await send('POST', '/schema/diff', {
      headers: { 'content-type': 'text/yaml' },
      body: 'tables: []',
    });
    expect(answer.status).toBe(415);
  });
});

test('a broken file: all of its errors, each at its place', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine() });
  const body = JSON.stringify({ schema: 'tables:\n- { id: 0, nam: t, columns: [] }' });
  const answer = await send('POST', '/schema/diff', { headers: json, body });
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({
    reason: 'invalid',
    stage: 'preflight',
    detail: expect.stringMatching(/^svc\.schema\.yaml:2:3: .* \(and 3 more\)$/),
    location: { pointer: '/body/schema' },
  });
  expect(answer.json['errors']).toHaveLength(4);
});

test('a reader compares and does not migrate', async () => {
  const { send } = openTestHandler({ engine: await openMemoryEngine('schema'), access: 'read' });
  const diff = await send('POST', '/schema/diff', {
    headers: json,
    body: '{"schema":"tables: []"}',
  });
  expect(diff.status).toBe(200);
  // Write access comes before everything in the request.
  const migrate = await send('POST', '/schema/migrate', { body: '{' });
  expect(migrate.status).toBe(403);
  expect(migrate.json).toMatchObject({ reason: 'read_only', stage: 'preflight' });
});

test('in schema mode programs and catalog endpoints still change nothing', async () => {
  const id = 'id: 1, name: id, type: int64, pk: true';
  await using project = await openProject('schema', schema(table(1, 'users', [id])));
  const statements = [{ kind: 'delete_table', name: 'd', table_id: 1 }];
  const program = await project.db.send('POST', '/execute', { statements });
  expect(program.json).toMatchObject({ status: 422, reason: 'invalid' });
  const endpoint = await project.db.send('DELETE', '/tables/users');
  expect(endpoint.json).toMatchObject({ status: 422, reason: 'invalid' });
  expect(await project.version()).toBe(1);
});

test('int64 and float64 defaults keep every digit in the program', async () => {
  const id = 'id: 1, name: id, type: int64, pk: true';
  await using project = await openProject('direct', schema());
  const columns = [
    id,
    'id: 2, name: n, type: int64, default: 9223372036854775807',
    'id: 3, name: z, type: float64, default: -0.0',
  ];
  const reply = await project.db.send('POST', '/schema/diff', {
    schema: schema(table(1, 't', columns)),
  });
  expect(reply.text).toContain('"default":{"kind":"literal","value":9223372036854775807}');
  expect(reply.text).toContain('"default":{"kind":"literal","value":-0.0}');
  const { program } = JSON.parse(reply.text) as { program: unknown };
  const text = reply.text.slice(
    reply.text.indexOf('"program":') + 10,
    reply.text.indexOf(',"destructive"'),
  );
  expect(program).toBeDefined();
  expect((await project.db.send('POST', '/execute', text)).status).toBe(200);
  expect((await project.diff(schema(table(1, 't', columns)))).changes).toEqual([]);
});
