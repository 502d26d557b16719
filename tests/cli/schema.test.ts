/** A project from its first schema on: what each command says, as text and as JSON, and its exit code. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../support/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);

const home = mkdtempSync(join(tmpdir(), 'svc-cli-schema-'));
const root = join(home, 'project');
const file = join(root, 'svc.schema.yaml');
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema']);
  const url = `svc://127.0.0.1:${server.port}`;
  await svc(['init', root, '--yes', '--database-url', url], home);
}, 60_000);

afterAll(async () => {
  server.kill('SIGKILL');
  await server.exited;
  rmSync(home, { recursive: true, force: true });
});

const svc = (argv: readonly string[], cwd = root) => runCommand(argv, {}, cwd);

async function json(argv: readonly string[], cwd = root) {
  const { exitCode, stdout, stderr } = await svc([...argv, '--json'], cwd);
  const text = stdout === '' ? stderr.slice(stderr.indexOf('{\n')) : stdout;
  return { exitCode, document: JSON.parse(text) };
}

const idColumn = '      - { id: 1, name: id, type: int64, pk: true }';

function writeSchema(...columns: readonly string[]): void {
  const lines = ['tables:', '  - id: 1', '    name: users', '    columns:', idColumn];
  writeFileSync(file, [...lines, ...columns.map((it) => `      - { ${it} }`), ''].join('\n'));
}

async function execute(program: object): Promise<void> {
  const response = await fetch(`${server.url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(program),
  });
  expect(await response.text()).toContain('"result"');
}

function createUsers(columns: readonly string[], rows: readonly (readonly (string | null)[])[]) {
  const types = (name: string) => (name === 'id' ? 'int64' : 'text');
  const r = {
    kind: 'rows',
    scope: 'r',
    columns: columns.map((name) => ({ name, type: types(name), nullable: name === 'bio' })),
    rows,
  };
  const relation = { nodes: { r }, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table: 'users', relation }] };
}

const name = 'id: 2, name: name, type: text';
const bio = 'id: 3, name: bio, type: text, nullable: true';

test('a fresh project is not synchronized', async () => {
  writeSchema(name, bio);
  const { exitCode, document } = await json(['schema', 'status']);
  expect(exitCode).toBe(3);
  expect(document).toMatchObject({
    server: { schema_version: 0 },
    accepted_error: 'no schema has been accepted yet',
    desired_changes: [{ kind: 'create_table', summary: 'create table users', table: 'users' }],
    transitions: [],
    status: 'local accepted schema state is unavailable',
  });
});

test('diff shows what would happen', async () => {
  const { exitCode, stdout } = await svc(['schema', 'diff']);
  expect([exitCode, stdout]).toEqual([0, 'Schema changes\n- create table users\n']);
  expect((await svc(['schema', 'diff', '--exit-code'])).exitCode).toBe(3);
  const { document } = await json(['schema', 'diff']);
  expect(document).toMatchObject({ current_version: 0, destructive: [], blocking: [] });
});

test('an empty database has nothing to be pulled', async () => {
  const { stdout } = await svc(['schema', 'status']);
  expect(stdout).toEndWith('next      `svc schema migrate`\n');
});

test.each([
  ['.', '. is a directory, not a file'],
  ...(existsSync('/dev/zero') ? [['/dev/zero', 'it exceeds 16 MiB']] : []),
])('%s is no schema file', async (path, message) => {
  const { exitCode, stderr } = await svc(['validate', '-f', path]);
  expect([exitCode, stderr]).toMatchObject([1, expect.stringContaining(message)]);
  expect(stderr).toEndWith('--file expects the schema file itself, such as svc.schema.yaml\n');
});

const hasScript = Bun.which('script') !== null && process.platform === 'linux';

test.skipIf(!hasScript)('a file has no colours when the other stream is a terminal', async () => {
  const words = [...program, 'schema', 'migrate', '--dry-run'].map((word) => `'${word}'`).join(' ');
  const env: Record<string, string | undefined> = { ...process.env, TERM: 'xterm-256color' };
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'CI']) delete env[name];
  const onTerminal = async (command: string) => {
    const shell = Bun.spawn(['script', '-qec', command, '/dev/null'], {
      cwd: root,
      env,
      stdout: 'pipe',
    });
    return new Response(shell.stdout).text();
  };
  await onTerminal(`${words} 2> messages.txt`);
  const messages = readFileSync(join(root, 'messages.txt'), 'utf8');
  expect(messages).toContain('Schema changes\n- create table users\n');
  expect(await onTerminal(`${words} > plan.txt`)).toContain('\u001b[1mSchema changes');
});

test('migrate applies and records', async () => {
  const { exitCode, document } = await json(['schema', 'migrate']);
  expect(exitCode).toBe(0);
  expect(document).toMatchObject({
    state: 'ready',
    schema_version: 1,
    transition_ids: [],
  });
  const { accepted, schema_hash: hash } = document;
  expect(accepted).toBe(
    `svc.state/accepted/00000001-${hash.slice('sha256:'.length).slice(0, 16)}.svc.schema.yaml`,
  );
  expect(readFileSync(join(root, accepted), 'utf8')).toContain('name: bio');
  expect(readFileSync(join(root, 'svc.state/.gitignore'), 'utf8')).toContain('pending/\n');
  expect(readdirSync(join(root, 'svc.state/pending'))).toEqual([]);
  expect(await isRecorded(root)).toBe(true);
});

/** Whether the database is recorded in the project, by its id and with the address by which the project knows it. */
async function isRecorded(project: string): Promise<boolean> {
  const response = await fetch(`${server.url}/info`);
  const { database_id: id } = (await response.json()) as { readonly database_id: string };
  const folder = join(project, 'svc.state/databases');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const found = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const address = `svc://127.0.0.1:${server.port}`;
  return Bun.deepEquals(found, [{ format_version: 1, database_id: id, met_as: address }]);
}

test('then everything agrees', async () => {
  const { exitCode, stdout } = await svc(['schema']);
  expect(exitCode).toBe(0);
  expect(stdout).toEndWith('status    synchronized\n');
  expect((await svc(['schema', 'diff', '--exit-code'])).stdout).toBe('No schema changes.\n');
  const again = await svc(['schema', 'migrate']);
  expect([again.exitCode, again.stdout]).toEqual([0, 'ready  version 1\n']);
});

test('doctor', async () => {
  const { exitCode, stdout } = await svc(['doctor']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    'pass     schema-identity     the database has the schema of the file\n',
  );
  expect(stdout).toEndWith('Doctor: healthy\n');
  const { document } = await json(['doctor']);
  expect(document.healthy).toBe(true);
  expect(document.checks.map((check: { name: string }) => check.name)).toEqual([
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
});

test('a loss is named, and needs consent', async () => {
  const rows = [
    ['1', 'Ann', 'likes bees'],
    ['2', 'Bob', 'likes tea'],
    ['3', 'Ann', null],
  ];
  await execute(createUsers(['id', 'name', 'bio'], rows));
  writeSchema(name);
  const diff = await svc(['schema', 'diff']);
  expect(diff.stdout).toContain(
    'Data loss\n- column users.bio will be deleted: 2 rows hold a value\n',
  );
  const { exitCode, document } = await json(['schema', 'migrate']);
  expect([exitCode, document.error.code]).toEqual([5, 'confirmation_required']);
  expect(document.error.details.hint).toContain('--accept-data-loss');
  const accepted = await json(['schema', 'migrate', '--accept-data-loss']);
  expect([accepted.exitCode, accepted.document.schema_version]).toEqual([0, 2]);
});

test('what the data forbids is blocked', async () => {
  writeSchema(`${name}, unique: true`);
  expect((await svc(['schema', 'diff', '--exit-code'])).exitCode).toBe(4);
  const { exitCode, document } = await json(['schema', 'migrate']);
  expect([exitCode, document.error.code]).toEqual([4, 'migration_blocked']);
  expect(document.error.details.blocking[0].kind).toBe('unique_index_duplicates');
  const doctor = await svc(['doctor', '--json']);
  expect([doctor.exitCode, JSON.parse(doctor.stdout).healthy]).toEqual([1, false]);
  expect(JSON.parse(doctor.stderr).error.code).toBe('doctor_failed');
});

test('online work is waited for, and listed', async () => {
  writeSchema(`${name}, index: true`);
  const { exitCode, document } = await json(['schema', 'migrate']);
  expect([exitCode, document]).toMatchObject([0, { state: 'ready' }]);
  const [id] = document.transition_ids;
  const list = await json(['schema', 'transitions', 'list', '--kind', 'index_build']);
  expect(list.document.transitions).toMatchObject([{ transition_id: id, state: 'ready' }]);
  const none = await svc(['schema', 'transitions', 'list', '--state', 'catching-up']);
  expect(none.stdout).toBe('No transitions.\n');
  const table = await svc(['schema', 'transitions', 'list']);
  expect(table.stdout).toMatch(/^ID +KIND +OBJECT +STATE +ROWS +ERROR\n/);
  expect((await svc(['schema', 'transitions', 'get', id])).stdout).toContain('ready');
  expect((await svc(['schema', 'transitions', 'wait', id])).exitCode).toBe(0);
});

test('transitions need no project, only the address of a database', async () => {
  const database = `svc://127.0.0.1:${server.port}`;
  const outside = (words: readonly string[]) =>
    svc(['schema', 'transitions', ...words, '--database-url', database], home);
  const list = await outside(['list', '--json']);
  expect(list.stderr).toBe('');
  const [{ transition_id: id }] = JSON.parse(list.stdout).transitions;
  const shown = await outside(['get', id]);
  expect([shown.exitCode, shown.stderr]).toEqual([0, `database ${database}\n`]);
  expect((await outside(['wait', id])).exitCode).toBe(0);
});

test('cancelling asks about nothing that is not there or has ended', async () => {
  const list = await json(['schema', 'transitions', 'list']);
  const id = list.document.transitions[0].transition_id;
  const absent = await svc(['schema', 'transitions', 'cancel', 'tr999']);
  expect([absent.exitCode, absent.stderr]).toMatchObject([
    1,
    expect.stringContaining('`svc schema transitions list` lists'),
  ]);
  const ended = await json(['schema', 'transitions', 'cancel', id]);
  expect([ended.exitCode, ended.document.error.code]).toEqual([1, 'invalid']);
  const refused = await json(['schema', 'transitions', 'cancel', id, '--yes']);
  expect(refused.exitCode).toBe(1);
  expect(refused.document.error).toMatchObject({ code: 'invalid', http_status: 422 });
  const unknown = await svc(['schema', 'transitions', 'get', 'tr999']);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain('there is no transition');
});

test('another project pulls', async () => {
  const other = join(home, 'other');
  await svc(['init', other, '--yes', '--database-url', `svc://127.0.0.1:${server.port}`], home);
  const unknown = await json(['schema', 'migrate'], other);
  expect([unknown.exitCode, unknown.document.error.code]).toEqual([6, 'schema_unknown']);
  writeFileSync(
    join(other, 'svc.schema.yaml'),
    `tables:\n  - id: 1\n    name: users # mine\n    columns:\n      - { id: 1, name: key, type: text, pk: true }\n`,
  );
  const refused = await json(['schema', 'pull'], other);
  expect([refused.exitCode, refused.document.error.code]).toEqual([6, 'local_changes']);
  expect(refused.document.error.message).toContain('table users: the primary keys differ');
  const { exitCode, document } = await json(['schema', 'pull', '--force'], other);
  expect(exitCode).toBe(0);
  expect(readdirSync(join(other, 'svc.state/backups'))).toHaveLength(1);
  expect(readFileSync(join(other, document.backup), 'utf8')).toContain('name: key');
  const text = readFileSync(join(other, 'svc.schema.yaml'), 'utf8');
  expect(text).toContain('name: users # mine');
  expect(text).toContain('{ id: 2, name: name, type: text, index: true }');
  expect((await svc(['schema'], other)).exitCode).toBe(0);
  expect(await isRecorded(other)).toBe(true);
});

test('a project that was left behind says so', async () => {
  const accepted = join(root, 'svc.state/accepted');
  const last = readdirSync(accepted).sort().at(-1) as string;
  const path = join(accepted, last);
  const kept = readFileSync(path, 'utf8');
  rmSync(path);
  writeSchema(name, bio);
  expect((await json(['schema'])).document.status).toBe('server is ahead of local accepted state');
  writeFileSync(path, 'tables: []\n');
  expect((await json(['doctor'])).document.healthy).toBe(false);
  const broken = await json(['schema', 'migrate']);
  expect([broken.exitCode, broken.document.error.code]).toEqual([1, 'accepted_state_corrupt']);
  writeFileSync(path, kept);
});
