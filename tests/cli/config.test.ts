/** `svc.config.yaml` and the files of a project: what is read, refused, and left behind. */

import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { systemReason } from '../../src/cli/frame/system-reason.ts';
import { readConfig } from '../../src/cli/project/config.ts';
import { createWhole, writeWhole } from '../../src/cli/project/write-file.ts';
import { answering, newDirectory, projectAt, runWithin, shellFor } from './within.ts';

function configOf(text: string): ReturnType<typeof readConfig> {
  const path = join(newDirectory(), 'svc.config.yaml');
  writeFileSync(path, text);
  return readConfig(path);
}

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof CommandFailure) return `${error.facts.code}: ${error.message}`;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the configuration', () => {
  test('says where the database is, and those of other environments', () => {
    const config = configOf(
      'database_url: svc://db\nenvironments: { live: { database_url: svcs://live } }\n',
    );
    expect(config).toMatchObject({ databaseUrl: 'svc://db', root: dirname(config.path) });
    expect([...config.environments]).toEqual([['live', 'svcs://live']]);
  });

  test('needs one database, of whichever environment', () => {
    expect(configOf('environments: { live: { database_url: svc://live } }\n')).toMatchObject({
      databaseUrl: undefined,
    });
    expect(configOf('database_url: svc://db\nenvironments:\n').environments.size).toBe(0);
    expect(configOf('database_url: svc://db\ngenerate: []\n').databaseUrl).toBe('svc://db');
  });

  test.each([
    ['database_url: svc://db\nport: 1\n', 'unknown member "port"'],
    ['generate: []\n', 'database_url is missing'],
    ['database_url: 7\n', 'database_url is missing or not a string'],
    ['database_url: postgres://x\n', 'database_url: "postgres://x" is not a server address'],
    ['[1]\n', 'the file is not a mapping'],
    ['text\n', 'the file is not a mapping'],
    ['', 'the file is not a mapping'],
    ['a: [\n', 'svc.config.yaml: '],
    ['environments: [a]\n', 'environments is not a mapping'],
    ['environments: { a: svc://db }\n', 'environments.a is not a mapping'],
    ['environments: { a: { database_url: 1 } }\n', 'environments.a.database_url is missing'],
    [
      'environments: { a: { database_url: postgres://x } }\n',
      'environments.a.database_url: "postgres://x" is not a server address',
    ],
    ['environments: { a: { database_url: svc://db, b: 1 } }\n', 'unknown member "b"'],
  ])('%j is refused', (text, why) => {
    const said = refusal(() => configOf(text));
    expect(said).toMatch(/^config_invalid: \S+svc\.config\.yaml: /);
    expect(said).toContain(why);
  });

  test('that is not there, or cannot be read', () => {
    const directory = newDirectory();
    const missing = refusal(() => readConfig(join(directory, 'none.yaml')));
    expect(missing).toStartWith('config_unavailable: there is no ');
    expect(refusal(() => readConfig(directory))).toContain('is a directory, not a file');
  });
});

describe('a file that is there whole or not at all', () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;

  test('is written with the directories above it, and nothing is left beside it', () => {
    const path = join(newDirectory(), 'a', 'b', 'file');
    writeWhole(path, 'one');
    writeWhole(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(dirname(path))).toEqual(['file']);
  });

  test('is created only once', () => {
    const path = join(newDirectory(), 'file');
    expect(createWhole(path, 'one')).toBe(true);
    expect(createWhole(path, 'two')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(dirname(path))).toEqual(['file']);
  });

  test('that cannot have its name leaves nothing beside it', () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'taken', 'by'), { recursive: true });
    expect(() => writeWhole(join(directory, 'taken'), 'x')).toThrow();
    expect(readdirSync(directory)).toEqual(['taken']);
  });

  test.skipIf(!existsSync('/proc/self/fd'))('is not kept open', () => {
    const directory = newDirectory();
    const before = openFiles();
    for (let i = 0; i < 20; i++) writeWhole(join(directory, `file${i}`), 'x');
    expect(openFiles()).toBeLessThan(before + 10);
  });
});

describe('init asks', () => {
  const init = async (answers: readonly string[], ...flags: readonly string[]) => {
    const root = newDirectory();
    const heard = shellFor({ answers });
    const ran = await runWithin(heard.shell, ['init', root, ...flags]);
    const read = (name: string) => readFileSync(join(root, name), 'utf8');
    return { ...heard, ...ran, root, read };
  };

  test('for the database, a client and the starter table, and takes empty answers as defaults', async () => {
    const { asked, read, stdout } = await init(['', '', '']);
    expect(asked).toEqual([
      'Database URL [svc://127.0.0.1:7237]: ',
      'Generate a client? typescript, go, python or none [none]: ',
      'Include a starter users table? [Y/n] ',
    ]);
    expect(read('svc.config.yaml')).toBe('database_url: svc://127.0.0.1:7237\n');
    expect(read('svc.schema.yaml')).toContain('users');
    expect(stdout).toContain('created ');
  });

  test('and takes what is answered', async () => {
    const { read } = await init([' svc://db ', 'None', ' No']);
    expect(read('svc.config.yaml')).toBe('database_url: svc://db\n');
    expect(read('svc.schema.yaml')).not.toContain('users');
  });

  test('only for what no flag says', async () => {
    const { asked, read } = await init(
      [],
      '--database-url',
      'svc://db',
      '--empty',
      '--no-generate',
    );
    expect(asked).toEqual([]);
    expect(read('svc.schema.yaml')).not.toContain('users');
  });

  test('where a client goes, and for its package where it has one', async () => {
    const go = await init(['', 'Go', 'internal/db', 'store', '']);
    expect(go.asked.slice(2, 4)).toEqual([
      'Generated client directory [generated]: ',
      'Package name [db]: ',
    ]);
    expect(go.read('svc.config.yaml')).toBe(
      'database_url: svc://127.0.0.1:7237\ngenerate:\n  - language: go\n    output: internal/db\n    package: store\n',
    );
    const typescript = await init(['', 'typescript', '', '']);
    expect(typescript.read('svc.config.yaml')).toEndWith(
      'generate:\n  - language: typescript\n    output: generated\n',
    );
  });

  test('again when there is no such language, place or package', async () => {
    const { said, read } = await init(['', 'rust', 'python', '../x', '', '', 'A-b', 'a', 'x', '']);
    expect(said).toEqual([
      '"rust" is invalid; expected one of typescript, go, python, none',
      'output "../x" is not inside the project',
      '"A-b" is not a package name: expected lower-case letters, digits and _, starting with a letter, and not a keyword of Go or Python',
    ]);
    expect(read('svc.config.yaml')).toEndWith('    output: a\n    package: x\n');
  });

  test('again when an address is none', async () => {
    const { trouble, root } = await init(['nowhere', 'svc://a b', 'svc://db.example', '', '']);
    expect(trouble).toBeUndefined();
    expect(readFileSync(join(root, 'svc.config.yaml'), 'utf8')).toContain('svc://db.example');
  });
});

test('init asks again when an answer is neither yes nor no', async () => {
  const { shell, said } = shellFor({ answers: ['', '', 'maybe', 'n'] });
  const root = newDirectory();
  await runWithin(shell, ['init', root]);
  expect(said).toEqual(['"maybe" is neither y nor n']);
  expect(readFileSync(join(root, 'svc.schema.yaml'), 'utf8')).not.toContain('users');
});

test.each([
  [
    'ENOENT',
    "ENOENT: no such file or directory, mkdir '/proc/x'",
    'a parent directory does not exist or cannot be created',
  ],
  ['ELOOP', "ELOOP: too many symbolic links, open 'a'", 'its symbolic links form a loop'],
  ['EIO', "EIO: i/o error, open '/a, b/c'", 'i/o error'],
  ['EPROTO', 'EPROTO: protocol error, read', 'protocol error'],
  [undefined, 'it is no directory', 'it is no directory'],
])('what the system says with %s is told in words', (code, message, words) => {
  expect(systemReason(Object.assign(new Error(message), { code }))).toBe(words);
});

describe('a token file', () => {
  const health = { status: 'ok', access: 'write', mode: 'schema' };

  test.each([
    ['of the environment', { SVC_ACCESS_TOKEN_FILE: 'env' }, [], 'Bearer env-token'],
    ['of the flag first', { SVC_ACCESS_TOKEN_FILE: 'env' }, ['flag'], 'Bearer flag-token'],
    ['that is empty is none', { SVC_ACCESS_TOKEN_FILE: '' }, [], null],
  ])('%s', async (_, env, flags, expected) => {
    const directory = newDirectory();
    for (const name of ['env', 'flag']) writeFileSync(join(directory, name), `${name}-token\n`);
    const seen: (string | null)[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        seen.push(request.headers.get('authorization'));
        return Response.json(request.url.endsWith('/healthz') ? health : { transitions: [] });
      },
    });
    const variable = env.SVC_ACCESS_TOKEN_FILE;
    const given = { SVC_ACCESS_TOKEN_FILE: variable === '' ? '' : join(directory, variable) };
    const tokens = flags.flatMap((name) => ['--access-token-file', join(directory, name)]);
    const config = projectAt(`svc://127.0.0.1:${server.port}`);
    const argv = ['schema', 'transitions', 'list', '--config', config, ...tokens];
    await runWithin(shellFor({ env: given }).shell, argv);
    await server.stop(true);
    expect(seen).toEqual([expected]);
  });
});

test('which database it is about is said to people, not to programs', async () => {
  using server = answering({ 'GET /schema/transitions': { transitions: [] } });
  const argv = ['schema', 'transitions', 'list', '--config', projectAt(server.url)];
  const people = shellFor();
  await runWithin(people.shell, argv);
  expect(people.said).toEqual([`database ${server.url}`]);
  const programs = shellFor({ mode: 'json' });
  await runWithin(programs.shell, argv);
  expect(programs.said).toEqual([]);
});
