/** `svc.config.yaml` and the files of a project: what is read, refused, and left behind. */

import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
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
  test('says where the database is', () => {
    const config = configOf('database_url: svc://db.example\n');
    expect(config).toMatchObject({
      databaseUrl: 'svc://db.example',
      origin: 'http://db.example:7237',
      generate: [],
      root: dirname(config.path),
    });
  });

  test('may name clients to be generated', () => {
    const target = { language: 'go', output: 'gen', package: 'db' };
    const text = `database_url: svc://db\ngenerate: [${JSON.stringify(target)}]\n`;
    expect(configOf(text).generate).toEqual([target]);
  });

  test.each([
    ['database_url: svc://db\nport: 1\n', 'unknown member "port"'],
    ['generate: []\n', 'database_url is missing or no text'],
    ['database_url: 7\n', 'database_url is missing or no text'],
    ['database_url: postgres://x\n', 'database_url: "postgres://x" is no server address'],
    ['[1]\n', 'it is no mapping'],
    ['text\n', 'it is no mapping'],
    ['', 'it is no mapping'],
    ['a: [\n', 'svc.config.yaml: '],
    ['database_url: svc://db\ngenerate: 1\n', 'generate is no list'],
    [
      'database_url: svc://db\ngenerate: [{ language: go, output: o, package: p, more: 1 }]\n',
      'generate[0]: unknown member "more"',
    ],
    ['database_url: svc://db\ngenerate: [{ output: o, package: p }]\n', 'generate[0] needs'],
    ['database_url: svc://db\ngenerate: [{ language: go, package: p }]\n', 'generate[0] needs'],
    ['database_url: svc://db\ngenerate: [{ language: go, output: o }]\n', 'generate[0] needs'],
    ['database_url: svc://db\ngenerate: [~]\n', 'generate[0] needs'],
  ])('%j is refused', (text, why) => {
    const said = refusal(() => configOf(text));
    expect(said).toStartWith('config_invalid: ');
    expect(said).toContain(why);
  });

  test('that is not there, or cannot be read', () => {
    const directory = newDirectory();
    const missing = refusal(() => readConfig(join(directory, 'none.yaml')));
    expect(missing).toStartWith('config_unavailable: there is no ');
    expect(refusal(() => readConfig(directory))).toContain('cannot be read');
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

  test('for the database and the starter table, and takes empty answers as defaults', async () => {
    const { asked, read, stdout } = await init(['', '']);
    expect(asked).toEqual([
      'Database URL [svc://127.0.0.1:7237]: ',
      'Include a starter users table? [Y/n] ',
    ]);
    expect(read('svc.config.yaml')).toBe('database_url: svc://127.0.0.1:7237\n');
    expect(read('svc.schema.yaml')).toContain('users');
    expect(stdout).toContain('created ');
  });

  test('and takes what is answered', async () => {
    const { read } = await init([' svcs://db ', ' No']);
    expect(read('svc.config.yaml')).toBe('database_url: svcs://db\n');
    expect(read('svc.schema.yaml')).not.toContain('users');
  });

  test('only for what no flag says', async () => {
    const { asked, read } = await init([], '--database-url', 'svc://db', '--empty');
    expect(asked).toEqual([]);
    expect(read('svc.schema.yaml')).not.toContain('users');
  });

  test('nothing when an address is none, and writes nothing then', async () => {
    const { trouble, root } = await init(['nowhere', '']);
    expect(trouble).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(readdirSync(root)).toEqual([]);
  });
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
