/** `init` and `validate`: commands that need no server. */

import { afterAll, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalog, schemaHash } from '#catalog';
import { renderSchema } from '#schema';
import { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import { configFile } from '../../src/cli/project/config.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';
import { program } from '../support/program.ts';
import { runCommand } from './run.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function directory(name: string): string {
  const path = join(home, name);
  mkdirSync(path);
  return path;
}

describe('init', () => {
  test('an empty name is no directory', async () => {
    const root = directory('nameless');
    const { exitCode, stderr } = await runCommand(['init', '', '--yes'], {}, root);
    expect([exitCode, readdirSync(root)]).toEqual([2, []]);
    expect(stderr).toStartWith('error: an argument is empty\n');
  });

  test('creates a project that validates', async () => {
    const root = directory('fresh');
    const { exitCode, stdout } = await runCommand(['init', root, '--yes', '--json']);
    const files = {
      config_file: join(root, 'svc.config.yaml'),
      schema_file: join(root, 'svc.schema.yaml'),
    };
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { root, ...files }]);
    expect(readdirSync(root).sort()).toEqual(['.gitignore', 'svc.config.yaml', 'svc.schema.yaml']);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe(
      'svc.data/\n*.key\nsvc.schema.yaml.bak\nnode_modules/\n',
    );
    expect(readFileSync(files.config_file, 'utf8')).toBe('database_url: svc://127.0.0.1:7237\n');
    const valid = await runCommand(['validate', '-f', files.schema_file]);
    expect(valid.stdout).toBe(`valid  ${files.schema_file} — 1 table, 3 columns\n`);
  });

  test('takes another database and no table', async () => {
    const root = directory('empty');
    await runCommand(['init', root, '--yes', '--empty', '--database-url', 'svc://db.example']);
    expect(readFileSync(join(root, 'svc.config.yaml'), 'utf8')).toContain('svc://db.example');
    const { stdout } = await runCommand(['validate', '-f', join(root, 'svc.schema.yaml')]);
    expect(stdout).toContain('0 tables, 0 columns');
  });

  test('has the client that flags describe, which the first migration generates', async () => {
    const root = directory('client');
    const flags = ['--lang', 'go', '-o', 'internal/db', '--pkg', 'store'];
    const { exitCode } = await runCommand(['init', root, '--yes', ...flags]);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(root, configFile), 'utf8')).toBe(
      'database_url: svc://127.0.0.1:7237\ngenerate:\n  - language: go\n    output: internal/db\n    package: store\n',
    );
  });

  test.each([
    ['--out about nothing', ['-o', 'a'], '--out requires --lang, the language of the client'],
    [
      '--pkg of TypeScript',
      ['--lang', 'typescript', '--pkg', 'a'],
      'package is only for clients in Go',
    ],
    ['a package that is none', ['--lang', 'go', '--pkg', 'A b'], 'is not a package name'],
    ['a place outside', ['--lang', 'go', '--out', 'a/../..'], 'is not inside the project'],
    ['no place', ['--lang', 'go', '--out', ''], 'output'],
    ['both', ['--lang', 'go', '--no-generate'], '--lang cannot be used with --no-generate'],
    ['a template', ['--template', 'web', '--lang', 'go'], '--lang cannot be used with --template'],
    [
      'a template alone',
      ['--template', 'web', '--no-generate'],
      'the application of the template imports',
    ],
  ])('refuses flags that make no sense: %s', async (_, flags, words) => {
    const root = join(home, 'nonsense');
    const { exitCode, stderr } = await runCommand(['init', root, '--yes', ...flags]);
    expect([exitCode, existsSync(root)]).toEqual([2, false]);
    expect(stderr).toContain(words);
  });

  test('never overwrites', async () => {
    const root = directory('taken');
    writeFileSync(join(root, 'svc.schema.yaml'), 'mine');
    const { exitCode, stderr } = await runCommand(['init', root, '--yes', '--json']);
    expect([exitCode, JSON.parse(stderr).error.code]).toEqual([1, 'file_exists']);
    expect(readdirSync(root)).toEqual(['svc.schema.yaml']);
    expect(readFileSync(join(root, 'svc.schema.yaml'), 'utf8')).toBe('mine');
  });

  test('asks nobody who is not there', async () => {
    const { exitCode, stderr } = await runCommand(['init', directory('silent')]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('--yes uses all defaults');
  });

  test.each(['svcs://db.example', 'https://db.example:443'])(
    '%s is a proxy, and that is noted',
    async (address) => {
      const root = directory(`tls-${address.slice(0, 5)}`);
      const argv = ['init', root, '--yes', '--database-url', address];
      const { exitCode, stderr } = await runCommand(argv);
      expect(exitCode).toBe(0);
      expect(stderr).toContain(`${address}: svc serve does not accept TLS; a proxy`);
      expect(readFileSync(join(root, configFile), 'utf8')).toContain(address);
      const again = await runCommand([...argv.with(1, `${root}-json`), '--json']);
      expect(JSON.parse(again.stdout).notes).toEqual([
        expect.stringContaining('does not accept TLS'),
      ]);
    },
  );

  test('refuses an address that is none', async () => {
    const argv = ['init', directory('lost'), '--yes', '--database-url', 'postgres://x'];
    const { exitCode, stderr } = await runCommand(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"postgres://x" is not a server address: expected svc://host[:port]');
  });
});

/** Runs a command on a terminal, answers what is asked for with a schema, and prints how it ended. */
const typing = `
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
while b'Ctrl-D' not in seen:
    seen += os.read(terminal, 4096)
os.write(terminal, b'tables: []\\n\\x04')
while b'valid  ' not in seen:
    seen += os.read(terminal, 4096)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

describe('validate', () => {
  test.skipIf(Bun.which('python3') === null)('says on a terminal what it waits for', async () => {
    const command = [...program, 'validate', '/dev/stdin'];
    const child = Bun.spawn(['python3', '-c', typing, ...command], { stdout: 'pipe' });
    expect((await child.stdout.text()).trim()).toBe('0');
  });

  const file = join(directory('broken'), 'svc.schema.yaml');
  writeFileSync(file, 'tables:\n  - id: 1\n    nam: x\n    columns: []\n');

  test('shows every error at its place', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['validate', '-f', file]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error: ${file} has 3 errors`);
    expect(stderr).toContain(`${file}:3:5: schema validation failed: unknown member "nam"`);
    expect(stderr).toContain('3 |     nam: x\n  |     ^^^');
  });

  test('the same for programs', async () => {
    const { stderr } = await runCommand(['validate', '-f', file, '--json']);
    const { error } = JSON.parse(stderr);
    expect(error.code).toBe('schema_invalid');
    expect(error.details.errors).toHaveLength(3);
    expect(error.details.errors[2]).toMatchObject({ line: 3, column: 5 });
  });

  test('knows from the accepted schemas which ids were used before', async () => {
    const root = directory('reused');
    const accept = (version: number, catalog: Catalog) =>
      new AcceptedSchemas(new StateDirectory(root)).add({
        version,
        hash: schemaHash(catalog),
        catalog,
      });
    const less = { ...users, columns: users.columns.slice(0, -1) };
    const last = users.columns.at(-1) as (typeof users.columns)[number];
    accept(1, catalogOf(users, posts));
    accept(2, catalogOf(less));
    const columns = [...less.columns, { ...last, name: 'other' }];
    const again = catalogOf({ ...users, columns }, { ...posts, name: 'notes' });
    const file = join(root, 'svc.schema.yaml');
    writeFileSync(file, renderSchema(again));
    const { exitCode, stderr } = await runCommand(['validate', file]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'table notes has id 2, which was that of posts: a database that deleted it does not assign the id again; the next free id is 3',
    );
    expect(stderr).toContain('column users.other has id 3, which was that of users.age');
    writeFileSync(file, renderSchema(catalogOf(less)));
    expect((await runCommand(['validate', file])).stderr).toBe('');
  });

  test('a file that is not there', async () => {
    const { exitCode, stderr } = await runCommand(['validate', '-f', 'nowhere.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error: there is no nowhere.yaml\n`svc init` creates one');
  });
});

describe('the configuration', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['database_url: svc://x\ncolour: red\n', 'unknown member "colour"'],
    ['databas_url: svc://x\n', 'unknown member "databas_url"'],
    ['[]', 'the file is not a mapping'],
    ['database_url: svc://x/path\n', '"svc://x/path" is not a server address'],
    ['database_url: svc://user@x\n', 'is not a server address'],
    ['database_url: [\n', 'svc.config.yaml: '],
    ['environments: { staging: {} }\n', 'environments.staging.database_url is missing'],
    [
      'environments: { a: { database_url: x } }\n',
      'environments.a.database_url: "x" is not a server',
    ],
  ];
  for (const [i, [text, message]] of wrong.entries()) {
    test(JSON.stringify(text), async () => {
      const config = join(directory(`config${i}`), 'svc.config.yaml');
      writeFileSync(config, text);
      const { exitCode, stderr } = await runCommand(['schema', 'status', '--config', config]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(message);
    });
  }

  test('a server that does not answer', async () => {
    const root = directory('alone');
    await runCommand(['init', root, '--yes', '--database-url', 'svc://127.0.0.1:1']);
    const config = join(root, 'svc.config.yaml');
    const { exitCode, stderr } = await runCommand(['schema', '--config', config]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain(
      'no svc server answers at http://127.0.0.1:1: no server listens there',
    );
  });
});

test('the JSON Schema of the file', async () => {
  const { stdout } = await runCommand(['schema', 'json-schema']);
  expect(JSON.parse(stdout)).toHaveProperty('properties.tables');
});
