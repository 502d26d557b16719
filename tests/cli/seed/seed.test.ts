/** `svc seed` against a server: what is written, what is refused and where, and what is deleted. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { program } from '../../support/program.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { runCommand } from '../run.ts';
import { newDirectory, projectAt, runWithin, shellFor } from '../within.ts';

const schema = `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: handle, type: text, unique: true }
      - { id: 3, name: joined_at, type: int64, format: unix_ms, default: now_ms() }
      - { id: 4, name: team_id, type: int64, nullable: true, index: true, ref: teams.id }
      - { id: 5, name: boss_id, type: bytes, format: uuid, nullable: true, index: true, ref: users.id }
      - { id: 6, name: score, type: float64, nullable: true }
      - { id: 7, name: active, type: bool, default: true }
  - id: 2
    name: teams
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: lead_id, type: bytes, format: uuid, nullable: true, index: true, ref: users.id }
`;
const ada = '00000000-0000-7000-8000-00000000000a';
const bob = '00000000-0000-7000-8000-00000000000b';

let server: ServerProcess;
let root = '';

beforeAll(async () => {
  server = await startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema']);
  root = dirname(projectAt(`svc://127.0.0.1:${server.port}`));
  // A circle of keys takes two migrations.
  for (const text of [schema.replace(/(lead_id.*), ref: users.id/, '$1'), schema]) {
    writeFileSync(join(root, 'svc.schema.yaml'), text);
    expect((await svc('schema', 'migrate')).trouble).toBeUndefined();
  }
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server.exited;
});
beforeEach(async () => {
  writeFileSync(join(root, 'none.json'), '{}');
  expect((await svc('seed', join(root, 'none.json'), '--reset')).trouble).toBeUndefined();
});

const svc = async (command: string, ...argv: readonly string[]) => {
  const { shell, said, asked } = shellFor();
  const config = ['--config', join(root, 'svc.config.yaml')];
  return { ...(await runWithin(shell, [command, ...argv, ...config])), said, asked };
};

/** Paths are as seen from the working directory. */
async function seed(text: string, ...flags: readonly string[]) {
  const file = join(root, 'svc.seed.json');
  writeFileSync(file, text);
  const { stdout, trouble } = await svc('seed', ...flags);
  const near = (said: string) => said.replaceAll(relative(process.cwd(), file), 'svc.seed.json');
  const { message = '', ...rest } = trouble ?? {};
  return {
    stdout: near(stdout),
    trouble: trouble && { ...(rest as Omit<typeof trouble, 'message'>), message: near(message) },
  };
}

async function rowsOf(table: string): Promise<readonly Record<string, unknown>[]> {
  const relation = {
    nodes: {
      s: { kind: 'scan', table, scope: 's' },
      o: {
        kind: 'order',
        input: 's',
        terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
      },
    },
    root: { node: 'o', cardinality: 'many' },
  };
  const response = await fetch(`${server.url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] }),
  });
  return ((await response.json()) as { result: Record<string, unknown>[] }).result;
}

const people = `{
  # Tables that refer to each other, and rows of a table that do.
  "users": [
    {"id": "${ada.toUpperCase()}", "handle": "ada", "joined_at": "2026-01-31T12:00:00Z", "team_id": 1, "score": 1.5},
    {"id": "${bob}", "handle": "bob", "boss_id": "${ada}", "team_id": "1", "active": false},
  ],
  "teams": [{"id": 1, "lead_id": "${bob}"}, {"id": "9007199254740995", "lead_id": null}]
}
`;

test('rows are written as people write them, whichever way they refer to each other', async () => {
  const { stdout, trouble } = await seed(people);
  expect(trouble).toBeUndefined();
  expect(stdout).toBe('seeded  svc.seed.json — 2 tables, 4 rows');
  const users = await rowsOf('users');
  expect(users.find(({ handle }) => handle === 'ada')).toMatchObject({
    id: ada,
    joined_at: Date.UTC(2026, 0, 31, 12),
    team_id: 1,
    boss_id: null,
    score: 1.5,
    active: true,
  });
  expect(users.find(({ handle }) => handle === 'bob')).toMatchObject({
    id: bob,
    boss_id: ada,
    score: null,
    active: false,
  });
  expect(await rowsOf('teams')).toContainEqual({ id: 1, lead_id: bob });
});

test('tables with rows are refused, added to with --append, and emptied with --reset', async () => {
  await seed('{"teams": [{"id": 1}]}');
  const again = await seed('{"teams": [{"id": 2}]}');
  expect(again.trouble).toMatchObject({ code: 'seed_not_empty', exitCode: 1 });
  expect(again.trouble?.message).toBe('table "teams" already has rows');
  expect(again.trouble?.hint).toContain('svc.seed.json --reset --config');
  expect((await seed('{"teams": [{"id": 2}]}', '--append')).trouble).toBeUndefined();
  const taken = await seed('{"teams": [{"id": 3}, {"id": 2}]}', '--append');
  expect(taken.trouble?.message).toEndWith(
    ': row 2 of 2: table "teams" has a row with this primary key already',
  );
  expect(await rowsOf('teams')).toHaveLength(2);
  expect((await seed(people, '--reset')).trouble).toBeUndefined();
  expect(await rowsOf('teams')).toHaveLength(2);
  expect((await seed('{"teams": [{"id": 3}]}', '--reset')).trouble).toBeUndefined();
  expect(await rowsOf('teams')).toEqual([{ id: 3, lead_id: null }]);
  expect(await rowsOf('users')).toEqual([]);
  const both = await seed('{}', '--reset', '--append');
  expect(both.trouble).toMatchObject({ code: 'usage', exitCode: 2 });
});

test('all that does not fit is named with its place, and nothing is written', async () => {
  const { trouble } = await seed(`{
  "user": [],
  "users": [
    {"handel": "ada", "joined_at": "yesterday"},
    {"handle": 5, "active": 1, "team_id": 1.5, "score": [1], "id": "x"}
  ],
  "teams": [{"id": null}]
}`);
  expect(trouble?.exitCode).toBe(1);
  const lines = trouble?.message.split('\n').filter((line) => line.startsWith('svc.seed.json'));
  expect(lines).toEqual([
    'svc.seed.json has 10 errors',
    'svc.seed.json:2:3: the database has no table "user"; did you mean "users"?',
    'svc.seed.json:4:6: table "users" has no column "handel"; did you mean "handle"?',
    'svc.seed.json:4:36: column "joined_at": expected an int64 or a time such as "2026-01-31T12:00:00Z", got "yesterday"',
    'svc.seed.json:4:5: column "handle" is missing: it has no default',
    'svc.seed.json:5:16: column "handle": expected text in quotes, got 5',
    'svc.seed.json:5:29: column "active": expected true or false, got 1',
    'svc.seed.json:5:43: column "team_id": expected an int64 (an integer), got 1.5',
    'svc.seed.json:5:57: column "score": expected a float64 (a decimal number), got a list',
    'svc.seed.json:5:68: column "id": expected a uuid in quotes, got "x"',
    'svc.seed.json:7:20: column "id" does not accept null',
  ]);
  expect(await rowsOf('users')).toEqual([]);
});

test.each([
  '2026-02-30',
  '2025-02-29T00:00:00Z',
  '2026-13-01',
  '2026-01-31T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-31T12:00:00+24:00',
])('a time that no calendar has is refused with its place: %s', async (time) => {
  const { trouble } = await seed(`{"users": [{"handle": "ada", "joined_at": "${time}"}]}`);
  expect(trouble?.message).toContain(
    `svc.seed.json:1:43: column "joined_at": expected an int64 or a time such as "2026-01-31T12:00:00Z", got "${time}"`,
  );
  expect(await rowsOf('users')).toEqual([]);
});

test('keys that stand twice and references to nothing are found in the file', async () => {
  const { trouble } = await seed(`{
  "teams": [{"id": 1}, {"id": "01"}],
  "users": [{"id": "${ada}", "handle": "a", "team_id": 2}, {"id": "${bob}", "handle": "a", "boss_id": "${ada.replace('a', 'c')}"}]
}`);
  expect(trouble?.message).toContain(
    'svc.seed.json:2:24: another row above has the same id, which is unique',
  );
  expect(trouble?.message).toContain(
    'svc.seed.json:3:13: team_id 2: no row of "teams" in this file has this key',
  );
  expect(trouble?.message).toContain('another row above has the same handle, which is unique');
  expect(trouble?.message).toContain('boss_id');
  expect(await rowsOf('teams')).toEqual([]);
});

test('a row that is set later has to say its key', async () => {
  const { trouble } = await seed(`{"users": [
    {"id": "${ada}", "handle": "a"}, {"handle": "b", "boss_id": "${ada}"}]}`);
  expect(trouble?.code).toBe('seed_circular');
  expect(trouble?.message).toContain('users_boss_id_fk of "users" is set after all rows exist');
});

test.each([
  ['{"teams": [{"id": 1,,}]}', 'svc.seed.json:1:21: not JSON: not expected here'],
  ['{"teams": [{"id": 1}}', 'one error\n\nsvc.seed.json:1:21: not JSON: expected , or ]'],
  ['{"teams" [{"id": 1}]}', 'svc.seed.json:1:10: not JSON: expected , or :'],
  ['{"teams": [{"name": "a}]}', 'not JSON: the text has no closing quote'],
  ['{"teams": [{"name": "a\\q"}]}', 'not JSON: unknown escape sequence'],
  ['{"teams": [{"name": @a}]}', 'not JSON: a text needs double quotes'],
  ['[]', 'svc.seed.json:1:1: expected an object of tables'],
  ['{"teams": {"id": 1}}', 'svc.seed.json:1:11: expected the list of the rows'],
  ['{"teams": [1]}', 'svc.seed.json:1:12: expected a row'],
  ['{"teams": [{"id": 1, "id": 2}]}', 'not JSON: the object has this name twice'],
])('%p is no seed', async (text, message) => {
  const { trouble } = await seed(text);
  expect(trouble?.message).toContain(message);
  expect(trouble?.exitCode).toBe(1);
});

test('a file of any size is no seed', async () => {
  const { trouble } = await seed(' '.repeat(3 * 2 ** 20 + 1));
  expect(trouble?.message).toBe('svc.seed.json exceeds 3 MiB');
});

test('elsewhere, --reset asks', async () => {
  const file = join(newDirectory(), 'seed.json');
  writeFileSync(file, '{"teams": [{"id": 1}]}');
  await seed('{"teams": [{"id": 1}]}');
  // The server answers to names of this machine only.
  using gate = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { method } = request;
      const body = method === 'GET' ? {} : { body: await request.text() };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(server.url + pathname, { method, headers, ...body });
      return new Response(await answer.text(), { status: answer.status });
    },
  });
  const url = `svc://0.0.0.0:${gate.port}`;
  const run = async (options: Parameters<typeof shellFor>[0], ...flags: readonly string[]) => {
    const { shell, said, asked } = shellFor(options);
    const config = ['--config', join(root, 'svc.config.yaml'), '--database-url', url];
    return {
      ...(await runWithin(shell, ['seed', file, '--reset', ...config, ...flags])),
      said,
      asked,
    };
  };
  const alone = await run({});
  expect(alone.trouble).toMatchObject({ code: 'confirmation_required', exitCode: 5 });
  expect(alone.trouble?.message).toContain('- delete 1 row of table teams');
  const no = await run({ answers: ['n'] });
  expect(no.trouble).toMatchObject({ code: 'seed_cancelled', exitCode: 5 });
  expect(no.asked).toEqual([`Continue in ${url}? [y/N] `]);
  expect((await run({ answers: ['y'] })).trouble).toBeUndefined();
  expect((await run({}, '--yes')).trouble).toBeUndefined();
});

test('a script gets the address, and its end is that of the command', async () => {
  const directory = newDirectory();
  writeFileSync(
    join(directory, 'svc.config.yaml'),
    `database_url: svc://127.0.0.1:${server.port}\n`,
  );
  const script = join(directory, 'svc.seed.ts');
  writeFileSync(
    script,
    `const address: string = process.env['SVC_DATABASE_URL'] ?? '';
const rows = { nodes: { r: { kind: 'rows', scope: 'r', columns: [{ name: 'id', type: 'int64' }], rows: [['7']] } }, root: { node: 'r', cardinality: 'many' } };
const answer = await fetch(address.replace('svc:', 'http:') + '/execute', { method: 'POST', headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ statements: [{ kind: 'create', name: 'c', table: 'teams', relation: rows }] }) });
if (!answer.ok) { console.error((await answer.json()).detail); process.exit(3); }
`,
  );
  const first = await runCommand(['seed', '--json'], {}, directory);
  expect(first.stderr).toBe('');
  expect(JSON.parse(first.stdout)).toEqual({ file: 'svc.seed.ts', reset: false });
  expect(await rowsOf('teams')).toEqual([{ id: 7, lead_id: null }]);
  const second = await runCommand(['seed'], {}, directory);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain('svc.seed.ts ended with code 3');
  const text = readFileSync(script, 'utf8');
  writeFileSync(script, `${text}\nimport {`);
  const broken = await runCommand(['seed', '--reset'], {}, directory);
  expect([broken.exitCode, broken.stderr]).toEqual([
    1,
    expect.stringContaining('is not a program'),
  ]);
  expect(await rowsOf('teams')).toEqual([{ id: 7, lead_id: null }]);
  writeFileSync(script, text);
  expect((await runCommand(['seed', '--reset'], {}, directory)).exitCode).toBe(0);
  writeFileSync(join(directory, 'svc.seed.json'), '{}');
  const two = await runCommand(['seed'], {}, directory);
  expect(two.exitCode).toBe(2);
  expect(two.stderr).toContain('svc.seed.json and svc.seed.ts both exist');
});

test('a script may start svc, in every way of starting a program, and a copy of itself', async () => {
  const directory = newDirectory();
  writeFileSync(
    join(directory, 'svc.config.yaml'),
    `database_url: svc://127.0.0.1:${server.port}\n`,
  );
  const version = JSON.stringify([...program, 'version']);
  const [first, ...rest] = program;
  writeFileSync(
    join(directory, 'forked.ts'),
    `process.send?.(Bun.spawnSync(${version}).exitCode === 0 ? process.argv[2] : 'refused');`,
  );
  writeFileSync(
    join(directory, 'svc.seed.ts'),
    `import { execFileSync, fork, spawnSync } from 'node:child_process';
import { spawn } from 'bun';
const svc = ${version};
const args = [...${JSON.stringify(rest)}, 'version'];
const first = ${JSON.stringify(first)};
const codes: Record<string, unknown> = {
  variable: process.env['BUN_BE_BUN'],
  spawn: await spawn(svc).exited,
  spawnSync: Bun.spawnSync({ cmd: svc }).exitCode,
  node: spawnSync(first, args).status,
  file: String(execFileSync(first, args)).trim() === '' ? 'nothing' : 0,
  shell: (await Bun.$\`\${svc}\`.nothrow().quiet()).exitCode,
  worker: await new Promise((resolve) => {
    const text = 'postMessage(Bun.spawnSync(' + JSON.stringify(svc) + ').exitCode)';
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
  }),
  fork: await new Promise((resolve) => {
    const child = fork(import.meta.dir + '/forked.ts', ['argument']);
    child.on('message', resolve);
    child.on('exit', resolve);
  }),
};
const wrong = Object.entries(codes).filter(([way, code]) => code !== (way === 'variable' ? undefined : way === 'fork' ? 'argument' : 0));
if (wrong.length > 0) { console.error(JSON.stringify(wrong)); process.exit(4); }
`,
  );
  const { exitCode, stderr } = await runCommand(['seed'], {}, directory);
  expect(stderr).not.toContain('[[');
  expect(exitCode).toBe(0);
});

test('a signal that ends the command ends its script, too', async () => {
  const directory = newDirectory();
  writeFileSync(
    join(directory, 'svc.config.yaml'),
    `database_url: svc://127.0.0.1:${server.port}\n`,
  );
  writeFileSync(
    join(directory, 'svc.seed.ts'),
    `console.log('pid ' + process.pid);\nsetInterval(() => {}, 1000);\n`,
  );
  const command = Bun.spawn([...program, 'seed'], {
    cwd: directory,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const reader = command.stdout.getReader();
  let said = '';
  while (!said.includes('\n')) said += new TextDecoder().decode((await reader.read()).value);
  command.kill('SIGTERM');
  expect(await command.exited).toBe(130);
  expect(await command.stderr.text()).toContain(
    'interrupted; rows that svc.seed.ts has already written stay',
  );
  const script = Number(/pid (\d+)/.exec(said)?.[1]);
  expect(() => process.kill(script, 0)).toThrow('ESRCH');
});
