/** How the schema file, the accepted schema and the server's stand to each other, in every constellation; and what differs costs. */

import { describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Catalog, schemaHash } from '#catalog';
import { renderSchema } from '#schema';
import { AcceptedState } from '../../src/cli/project/accepted.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';
import { answering, projectAt, runWithin, shellFor } from './within.ts';

const one = catalogOf(users);
const two = catalogOf(users, posts);

const change = { kind: 'create_table', summary: 'create table posts', table: 'posts' };

interface Setting {
  readonly server: readonly [version: number, catalog: Catalog];
  readonly accepted?: readonly [version: number, catalog: Catalog];
  readonly desired?: Catalog;
}

async function status({ server, accepted, desired }: Setting, mode: 'text' | 'json' = 'text') {
  const [schema_version, current] = server;
  using answers = answering({
    'GET /schema': { schema_version, schema_hash: schemaHash(current), schema: { tables: [] } },
    'POST /schema/diff': { changes: [change], destructive: [], blocking: [] },
  });
  const config = projectAt(answers.url, desired && renderSchema(desired));
  if (accepted !== undefined) {
    const [version, catalog] = accepted;
    new AcceptedState(dirname(config)).write({ version, hash: schemaHash(catalog), catalog });
  }
  const { shell } = shellFor({ mode });
  const ran = await runWithin(shell, ['schema', 'status', '--config', config]);
  return { ...ran, requests: answers.requests };
}

test.each([
  ['synchronized', { server: [3, one], accepted: [3, one], desired: one }],
  [
    'svc.schema.yaml contains unapplied changes',
    { server: [3, one], accepted: [3, one], desired: two },
  ],
  ['svc.schema.yaml is unavailable', { server: [3, one], accepted: [3, one] }],
  ['local accepted schema state is unavailable', { server: [3, one], desired: one }],
  [
    'server is ahead of local accepted state',
    { server: [4, one], accepted: [3, one], desired: one },
  ],
  [
    'local accepted state is ahead of server',
    { server: [2, one], accepted: [3, one], desired: one },
  ],
  ['schema history diverged', { server: [3, one], accepted: [3, two], desired: one }],
] as [string, Setting][])('%s', async (expected, setting) => {
  const { stdout, exitCode } = await status(setting);
  expect(stdout.split('\n').at(-1)).toBe(`status    ${expected}`);
  expect(exitCode).toBe(expected === 'synchronized' ? 0 : 3);
});

test('the server is asked for the difference only when there is one', async () => {
  const same = await status({ server: [3, one], accepted: [3, one], desired: one });
  expect(same.requests).toEqual(['GET /schema']);
  const other = await status({ server: [3, one], accepted: [3, one], desired: two });
  expect(other.requests).toHaveLength(2);
  expect(other.stdout).toContain('\n- create table posts\n');
});

test('as JSON', async () => {
  const known = await status({ server: [3, one], accepted: [3, one], desired: two }, 'json');
  expect(JSON.parse(known.stdout)).toEqual({
    server: { schema_version: 3, schema_hash: schemaHash(one) },
    accepted: { schema_version: 3, schema_hash: schemaHash(one) },
    desired_changes: [change],
    generated_clients: [],
    status: 'svc.schema.yaml contains unapplied changes',
  });
  const unknown = await status({ server: [3, one], desired: one }, 'json');
  const document = JSON.parse(unknown.stdout) as object;
  expect(document).toMatchObject({ accepted_error: 'no schema was accepted yet' });
  expect(document).not.toHaveProperty('accepted');
  expect(document).not.toHaveProperty('desired_changes');
});

test('in words, with what cannot be read', async () => {
  const { stdout } = await status({ server: [3, one] });
  expect(stdout.split('\n')).toEqual([
    `server    version 3  ${schemaHash(one)}`,
    'accepted  no schema was accepted yet',
    expect.stringMatching(/^desired {3}there is no .*svc\.schema\.yaml$/),
    'status    local accepted schema state is unavailable',
  ]);
});

describe('diff', () => {
  async function diff(answer: object, ...flags: readonly string[]) {
    using server = answering({ 'POST /schema/diff': answer });
    const argv = ['schema', 'diff', '--config', projectAt(server.url, renderSchema(one))];
    return await runWithin(shellFor().shell, [...argv, ...flags]);
  }
  const nothing = { changes: [], destructive: [], blocking: [] };
  const lossless = { ...nothing, changes: [change] };
  const blocked = {
    ...lossless,
    blocking: [{ kind: 'x', summary: 'column a holds NULL', rows: 2 }],
  };

  test.each([
    ['nothing to do', nothing, 0],
    ['changes', lossless, 3],
    ['changes that cannot be applied', blocked, 4],
  ])('%s', async (_, answer, exitCode) => {
    expect((await diff(answer)).exitCode).toBe(0);
    expect((await diff(answer, '--exit-code')).exitCode).toBe(exitCode);
  });

  test('in words', async () => {
    expect((await diff(nothing)).stdout).toBe('No schema changes.');
    const changes = [
      change,
      { kind: 'delete_column', summary: 'delete column users.age' },
      { kind: 'start_index_build', summary: 'start index build i on users' },
      { kind: 'rename_table', summary: 'rename table a -> b' },
    ];
    const destructive = [
      { kind: 'delete_table', summary: '', table: 'posts', rows: 1 },
      { kind: 'delete_column', summary: '', table: 'users', column: 'age', rows: 1 },
      { kind: 'delete_column', summary: '', table: 'users', column: 'bio', rows: 12_304 },
      { kind: 'replace_column', summary: 'some values change' },
    ];
    const blocking = [
      { kind: 'a', summary: 'column a holds NULL', rows: 2 },
      { kind: 'b', summary: '3 rows are twice there', rows: 3 },
      { kind: 'c', summary: 'never', rows: 0 },
    ];
    expect((await diff({ changes, destructive, blocking })).stdout.split('\n')).toEqual([
      'Schema changes',
      '- create table posts',
      '- delete column users.age',
      '- start index build i on users (online)',
      '- rename table a -> b',
      '',
      'Data loss',
      '- table posts will be deleted with its 1 row',
      '- column users.age will be deleted: 1 row holds a value',
      '- column users.bio will be deleted: 12,304 rows hold a value',
      '- some values change',
      '',
      'Cannot apply',
      '- column a holds NULL (2 rows)',
      '- 3 rows are twice there',
      '- never',
    ]);
  });
});

describe('migrate', () => {
  const loss = {
    kind: 'delete_column',
    summary: 'delete column users.age',
    table: 'users',
    column: 'age',
    rows: 2,
  };
  const plain = {
    current_version: 3,
    current_hash: 'h',
    changes: [change],
    destructive: [],
    blocking: [],
  };
  const migrated = { desired_hash: schemaHash(one), changes: [change], transition_ids: [] };

  async function migrate(
    diff: object,
    {
      answers,
      mode,
      flags = [],
      hash = schemaHash(one),
    }: {
      readonly answers?: readonly string[];
      readonly mode?: 'json';
      readonly flags?: readonly string[];
      readonly hash?: string;
    } = {},
  ) {
    using server = answering({
      'POST /schema/diff': { ...plain, ...diff },
      'POST /schema/migrate': migrated,
      'GET /schema': { schema_version: 4, schema_hash: hash, schema: { tables: [] } },
    });
    const config = projectAt(server.url, renderSchema(one));
    const heard = shellFor({ ...(answers && { answers }), ...(mode && { mode }) });
    const ran = await runWithin(heard.shell, ['schema', 'migrate', '--config', config, ...flags]);
    const sent = server.requests.find((request) => request.startsWith('POST /schema/migrate'));
    const body = sent === undefined ? undefined : JSON.parse(sent.slice(sent.indexOf('{')));
    return { ...ran, ...heard, body, accepted: new AcceptedState(dirname(config)).read() };
  }

  test('what loses nothing is done without a question, and recorded', async () => {
    const { exitCode, stdout, asked, body, accepted, said } = await migrate({}, { answers: [] });
    expect({ exitCode, stdout, asked }).toEqual({
      exitCode: 0,
      stdout: 'ready  version 4',
      asked: [],
    });
    expect(body).toMatchObject({ current_version: 3, current_hash: 'h', accept_data_loss: false });
    expect(accepted).toMatchObject({ version: 4, hash: schemaHash(one) });
    expect(said.at(-1)).toBe('recorded svc.state/schema.lock.json');
  });

  test('a loss is agreed to by a flag or an answer, and not at all without', async () => {
    const destructive = [loss];
    const silent = await migrate({ destructive });
    expect(silent.trouble).toMatchObject({ code: 'confirmation_required', exitCode: 5 });
    const refused = await migrate({ destructive }, { answers: ['n'] });
    expect(refused.trouble).toMatchObject({ code: 'migration_cancelled', exitCode: 5 });
    expect([silent.body, refused.body]).toEqual([undefined, undefined]);
    const agreed = await migrate({ destructive }, { answers: ['y'] });
    expect(agreed.body).toMatchObject({ accept_data_loss: true });
    const flagged = await migrate({ destructive }, { flags: ['--accept-data-loss'] });
    expect(flagged.body).toMatchObject({ accept_data_loss: true });
    expect(flagged.asked).toEqual([]);
  });

  test('in JSON mode, who is asked is told the losses first', async () => {
    const { said } = await migrate({ destructive: [loss] }, { answers: ['y'], mode: 'json' });
    expect(said).toEqual(['column users.age will be deleted: 2 rows hold a value']);
  });

  test('what the data forbids is not even asked about', async () => {
    const blocking = [{ kind: 'x', summary: 'column a holds NULL', rows: 2 }];
    const { trouble, body } = await migrate(
      { blocking, destructive: [loss] },
      { answers: ['y'], flags: ['--accept-data-loss'] },
    );
    expect(trouble).toMatchObject({ code: 'migration_blocked', exitCode: 4 });
    expect(trouble?.message).toContain('column a holds NULL (2 rows)');
    expect(body).toBeUndefined();
  });

  test('a server that has another schema in the end is told of, and nothing is recorded', async () => {
    const { trouble, accepted } = await migrate({}, { hash: schemaHash(two) });
    expect(trouble).toMatchObject({ code: 'schema_changed_meanwhile', exitCode: 6 });
    expect(accepted).toBeUndefined();
  });
});

describe('pull', () => {
  const served = catalogOf();
  async function pull(prepare: (root: string) => void, ...flags: readonly string[]) {
    using server = answering({
      'GET /schema': { schema_version: 5, schema_hash: schemaHash(served), schema: { tables: [] } },
    });
    const config = projectAt(server.url, renderSchema(two));
    prepare(dirname(config));
    const { shell } = shellFor();
    return {
      ...(await runWithin(shell, ['schema', 'pull', '--config', config, ...flags])),
      config,
    };
  }
  const accept = (root: string) =>
    void new AcceptedState(root).write({ version: 4, hash: schemaHash(two), catalog: two });

  test('a file that is as it was accepted is replaced', async () => {
    const { stdout, config } = await pull(accept);
    expect(stdout).toStartWith('pulled  version 5 into ');
    expect(stdout).not.toContain('former');
    expect(new AcceptedState(dirname(config)).read()).toMatchObject({ version: 5 });
  });

  test('a file with changes of its own is replaced only by force, with a backup', async () => {
    const { trouble } = await pull(() => {});
    expect(trouble).toMatchObject({ code: 'local_changes', exitCode: 3 });
    const { stdout } = await pull(() => {}, '--force');
    expect(stdout).toMatch(
      /the former file is svc\.state\/backups\/\d{8}T\d{6}Z\.svc\.schema\.yaml/,
    );
  });

  test('a file that cannot be read as a schema counts as changed, one that is gone does not', async () => {
    const broken = await pull((root) => writeFileSync(join(root, 'svc.schema.yaml'), 'tables: 7'));
    expect(broken.trouble?.code).toBe('local_changes');
    const gone = await pull((root) => rmSync(join(root, 'svc.schema.yaml')));
    expect(gone.exitCode).toBe(0);
  });

  test('a lockfile that is damaged does not stand in the way of force', async () => {
    const damage = (root: string) => {
      accept(root);
      writeFileSync(join(root, 'svc.state', 'schema.lock.json'), '{');
    };
    expect((await pull(damage)).trouble?.code).toBe('local_changes');
    expect((await pull(damage, '--force')).exitCode).toBe(0);
  });

  test('a schema that has not the hash it claims is not believed', async () => {
    using server = answering({
      'GET /schema': { schema_version: 5, schema_hash: 'other', schema: { tables: [] } },
    });
    const config = projectAt(server.url);
    const { trouble } = await runWithin(shellFor().shell, ['schema', 'pull', '--config', config]);
    expect(trouble?.code).toBe('schema_unreadable');
  });
});
