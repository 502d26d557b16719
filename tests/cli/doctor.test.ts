/** `svc doctor`: each check passes, warns or fails for its own reason, and those that cannot be made any more are left out. */

import { describe, expect, test } from 'bun:test';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemaHash, toSchemaDocument } from '#catalog';
import { renderSchema } from '#schema';
import { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';
import { answering, newDirectory, projectAt, runWithin, shellFor, transitionIn } from './within.ts';

const one = catalogOf(users);
const hash = schemaHash(one);
const other = catalogOf(users, posts);

const healthy = {
  'GET /healthz': { status: 'ok', access: 'write', mode: 'schema' },
  'GET /schema': { schema_version: 3, schema_hash: hash, schema: toSchemaDocument(one) },
  'POST /schema/diff': { changes: [], destructive: [], blocking: [] },
  'GET /schema/transitions': { transitions: [] },
};

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

async function doctor(answers: object, prepare: (root: string) => void = () => {}) {
  using server = answering({ ...healthy, ...answers });
  const config = projectAt(server.url, renderSchema(one));
  const accepted = new AcceptedSchemas(new StateDirectory(dirname(config)));
  accepted.add({ version: 3, hash, catalog: one });
  prepare(dirname(config));
  const argv = ['doctor', '--config', config];
  const ran = await runWithin(shellFor({ mode: 'json' }).shell, argv);
  const { healthy: isHealthy, checks } = JSON.parse(ran.stdout) as {
    healthy: boolean;
    checks: readonly Check[];
  };
  const text = await runWithin(shellFor().shell, argv);
  const wrong = checks
    .filter(({ status }) => status !== 'pass')
    .map(({ name, status, message }) =>
      `${status} ${name}: ${message}`.replaceAll(` --config ${config}`, ''),
    );
  return { ...ran, isHealthy, checks, wrong, text };
}

test('everything is as it should be', async () => {
  const { isHealthy, exitCode, checks, wrong, text } = await doctor({});
  expect({ isHealthy, exitCode, wrong }).toEqual({ isHealthy: true, exitCode: 0, wrong: [] });
  expect(checks.map(({ name }) => name)).toEqual([
    'configuration',
    'desired-schema',
    'accepted-state',
    'server',
    'server-health',
    'server-schema',
    'schema-identity',
    'schema-diff',
    'transitions',
  ]);
  expect(text.exitCode).toBe(0);
  expect(text.stdout).toEndWith('Doctor: healthy');
});

test('a check has one name, in words and in JSON', async () => {
  const { checks, text } = await doctor({});
  const lines = text.stdout.split('\n').slice(0, -1);
  expect(lines.map((line) => line.split(/ +/)[1])).toEqual(checks.map(({ name }) => name));
});

test.each([{ more: [] }, { more: ['--restore-claims', '--yes'] }])(
  'a path that a server refuses is refused in the same words, and nothing is written: $more',
  async ({ more }) => {
    const path = newDirectory();
    const file = join(path, 'letters.txt');
    writeFileSync(file, 'x');
    const refusal = async (at: string) => {
      const argv = ['doctor', 'store', '--storage-path', at, ...more];
      return (await runWithin(shellFor().shell, argv)).trouble;
    };
    expect(await refusal(path)).toMatchObject({
      exitCode: 1,
      code: 'storage_occupied',
      message: `${path} contains no store and is not empty: it contains letters.txt`,
    });
    expect(await refusal(file)).toMatchObject({
      exitCode: 1,
      code: 'storage_io',
      message: `examine ${file} failed: a component of the path is not a directory`,
    });
    expect(readdirSync(path)).toEqual(['letters.txt']);
  },
);

const change = { kind: 'create_table', summary: 'create table posts' };
const active = transitionIn('building', { transition_id: 'tr2' });
const gated = transitionIn('validating', { retained_work_state: 'write_gated' });

describe('what it finds', () => {
  test.each([
    [
      'changes that were not applied',
      { 'POST /schema/diff': { changes: [change], destructive: [], blocking: [] } },
      'warning schema-diff: one unapplied change',
    ],
    [
      'changes that cannot be applied',
      { 'POST /schema/diff': { changes: [change], destructive: [], blocking: [change] } },
      'fail schema-diff: create table posts',
    ],
    [
      'another version of a known schema',
      {
        'GET /schema': {
          schema_version: 4,
          schema_hash: hash,
          schema: toSchemaDocument(one),
        },
      },
      undefined,
    ],
    [
      'another schema',
      {
        'GET /schema': {
          schema_version: 3,
          schema_hash: schemaHash(other),
          schema: toSchemaDocument(other),
        },
      },
      'fail schema-identity: the project has not recorded version 3 of the database; see `svc schema status`',
    ],
    [
      'work under way',
      { 'GET /schema/transitions': { transitions: [active] } },
      'warning transitions: in progress: tr2',
    ],
    [
      'work that failed',
      { 'GET /schema/transitions': { transitions: [active, transitionIn('failed')] } },
      'warning transitions: failed: tr1',
    ],
    [
      'writes that wait',
      { 'GET /schema/transitions': { transitions: [active, gated] } },
      'fail transitions: blocking writes: tr1',
    ],
    [
      'work that waited and has ended',
      { 'GET /schema/transitions': { transitions: [{ ...gated, state: 'ready' }] } },
      undefined,
    ],
  ])('%s', async (_, answers, expected) => {
    const { wrong, isHealthy, exitCode, trouble, text } = await doctor(answers);
    expect(wrong).toEqual(expected === undefined ? [] : [expected]);
    const isFailed = expected?.startsWith('fail') === true;
    expect({ isHealthy, exitCode }).toEqual({ isHealthy: !isFailed, exitCode: isFailed ? 1 : 0 });
    if (isFailed) expect(trouble).toMatchObject({ code: 'doctor_failed' });
    expect(text.exitCode).toBe(exitCode);
    const sound = expected === undefined ? 'healthy' : 'nothing failed, one warning';
    expect(text.stdout).toEndWith(`Doctor: ${isFailed ? 'failed' : sound}`);
  });

  test('nothing accepted yet', async () => {
    const { wrong, isHealthy } = await doctor({}, (root) =>
      rmSync(join(root, 'svc.state'), { recursive: true }),
    );
    expect(isHealthy).toBe(true);
    expect(wrong).toEqual([
      'warning accepted-state: no schema has been accepted yet; run `svc schema migrate` or `svc schema pull`',
      'warning schema-identity: there is no accepted schema to compare',
    ]);
  });

  test('a schema file that is broken: nothing is compared with it', async () => {
    const { checks, isHealthy } = await doctor({}, (root) =>
      writeFileSync(join(root, 'svc.schema.yaml'), 'tables: 7'),
    );
    expect(isHealthy).toBe(false);
    expect(checks.find(({ name }) => name === 'desired-schema')?.status).toBe('fail');
    expect(checks.some(({ name }) => name === 'schema-diff')).toBe(false);
    expect(checks.some(({ name }) => name === 'transitions')).toBe(true);
  });
});

test('a schema file with a warning: what shows it', async () => {
  const { wrong } = await doctor({}, (root) =>
    writeFileSync(
      join(root, 'svc.schema.yaml'),
      renderSchema(one).replace('name: users', 'name: "Us ers"'),
    ),
  );
  const file = expect.stringMatching(
    /^warning desired-schema: valid, with one warning: `svc validate .*svc.schema.yaml` shows it$/,
  );
  expect(wrong).toContainEqual(file);
});

test('a server that does not answer: what builds on its answers is left out', async () => {
  const config = projectAt('svc://127.0.0.1:1', renderSchema(catalogOf(users, posts)));
  const { stdout } = await runWithin(shellFor({ mode: 'json' }).shell, [
    'doctor',
    '--config',
    config,
  ]);
  const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
  expect(checks.map(({ name }) => name)).toEqual([
    'configuration',
    'desired-schema',
    'accepted-state',
    'server',
  ]);
  expect(checks.at(-1)).toMatchObject({ status: 'fail' });
});

test('no project at all: one failed check', async () => {
  const argv = ['doctor', '--config', join(newDirectory(), 'none.yaml')];
  const { stdout } = await runWithin(shellFor({ mode: 'json' }).shell, argv);
  const [check, ...others] = JSON.parse(stdout).checks;
  expect(others).toEqual([]);
  expect(check).toMatchObject({ name: 'configuration', status: 'fail' });
  expect(check.message).toContain('; `svc init` creates one');
});

test.each(['0', 'x', '10000', '-1'])('doctor store refuses %s rounds', async (rounds) => {
  const { write } = process.stderr;
  process.stderr.write = () => true;
  const argv = ['doctor', 'store', '--storage', 'memory', `--rounds=${rounds}`];
  const ran = await runWithin(shellFor().shell, argv).finally(() => (process.stderr.write = write));
  expect(ran.exitCode).toBe(2);
});
