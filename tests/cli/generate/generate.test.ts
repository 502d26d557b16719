/** `svc generate` in a project: what is written, what is left alone, and what is refused. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LineCounter, type Node, parseDocument } from 'yaml';
import { readTargets } from '#codegen';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { newDirectory, projectAt, runWithin, type ShellOptions, shellFor } from '../within.ts';

const schema = `tables:
  - id: 1
    name: notes
    columns:
      - {id: 1, name: id, type: int64, pk: true}
      - {id: 2, name: text, type: string}
`;
const wider = `${schema}      - {id: 3, name: more, type: string, nullable: true}\n`;
const wanted = 'generate:\n  - {language: typescript, output: src/db}\n';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema'], {});
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server.exited;
});

interface Project {
  readonly root: string;
  readonly config: string;
  run(words: string, options?: ShellOptions): ReturnType<typeof runWithin>;
  path(name: string): string;
  read(name: string): string;
}

/** `generate` is appended to its configuration. */
function projectWith(generate: string, url = 'svc://127.0.0.1:1'): Project {
  const config = projectAt(url, schema);
  appendFileSync(config, generate);
  const root = dirname(config);
  return {
    root,
    config,
    run: (words, options) =>
      runWithin(shellFor(options).shell, [...words.split(' '), '--config', config]),
    path: (name) => join(root, name),
    read: (name) => readFileSync(join(root, name), 'utf8'),
  };
}

/** With the schema accepted, as if a database had it. */
async function accepted(generate: string): Promise<Project> {
  const project = projectWith(generate, `svc://127.0.0.1:${server.port}`);
  const { trouble } = await project.run('schema migrate --no-generate --adopt');
  expect(trouble).toBeUndefined();
  return project;
}

const files = [
  '.svc-codegen-typescript.json',
  'db.gen.ts',
  'svc-runtime.gen.ts',
  'svc-testing.gen.ts',
];

describe('files', () => {
  test('are written, and then left alone', async () => {
    const project = await accepted(wanted);
    const first = await project.run('generate');
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('3 files written'),
    });
    expect(readdirSync(project.path('src/db')).sort()).toEqual(files);
    const before = files.map((name) => statSync(project.path(`src/db/${name}`)).mtimeMs);
    const again = await project.run('generate');
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^unchanged /) });
    expect(files.map((name) => statSync(project.path(`src/db/${name}`)).mtimeMs)).toEqual(before);
  });

  test('what is wanted no more is removed, what somebody wrote stays', async () => {
    const project = await accepted(wanted);
    await project.run('generate');
    writeFileSync(project.path('src/db/own.ts'), 'export {};\n');
    writeFileSync(
      project.config,
      project.read('svc.config.yaml').replace('src/db', 'src/db, emit: js'),
    );
    const { stdout } = await project.run('generate');
    expect(stdout).toContain('6 files written, 3 removed');
    expect(
      readdirSync(project.path('src/db'))
        .filter((name) => name.endsWith('.ts'))
        .sort(),
    ).toEqual(['db.gen.d.ts', 'own.ts', 'svc-runtime.gen.d.ts', 'svc-testing.gen.d.ts']);
  });

  test('a file that was not generated is not overwritten, and nothing else is written then', async () => {
    const project = await accepted(wanted);
    mkdirSync(project.path('src/db'), { recursive: true });
    writeFileSync(project.path('src/db/svc-runtime.gen.ts'), 'my own\n');
    const { exitCode, trouble } = await project.run('generate');
    expect({ exitCode, code: trouble?.code }).toEqual({ exitCode: 1, code: 'file_foreign' });
    expect(readdirSync(project.path('src/db'))).toEqual(['svc-runtime.gen.ts']);
    expect(project.read('src/db/svc-runtime.gen.ts')).toBe('my own\n');
  });

  test('without the manifest generated files are known by their first line', async () => {
    const project = await accepted(wanted);
    await project.run('generate');
    writeFileSync(project.path('src/db/.svc-codegen-typescript.json'), '{');
    expect((await project.run('generate')).trouble?.code).toBe('manifest_broken');
    await Bun.file(project.path('src/db/.svc-codegen-typescript.json')).delete();
    appendFileSync(project.path('src/db/db.gen.ts'), '// edited\n');
    expect((await project.run('generate')).stdout).toContain('1 file written');
    expect(project.read('src/db/db.gen.ts')).not.toContain('edited');
  });

  test.each([
    ['another directory', '../../svc.schema.yaml'],
    ['an absolute path', '/etc/hostname'],
    ['itself', '.'],
  ])('a manifest that names %s removes nothing', async (_, named) => {
    const project = await accepted(wanted);
    await project.run('generate');
    const manifest = project.path('src/db/.svc-codegen-typescript.json');
    const list = JSON.stringify({ format_version: 1, generator: 'x', files: [named] });
    writeFileSync(manifest, list);
    expect((await project.run('generate')).trouble?.code).toBe('manifest_broken');
    expect(existsSync(project.path('svc.schema.yaml'))).toBe(true);
  });

  test('a manifest that names what was not generated leaves that alone', async () => {
    const project = await accepted(wanted);
    await project.run('generate');
    writeFileSync(project.path('src/db/own.ts'), 'export {};\n');
    const list = JSON.stringify({ format_version: 1, generator: 'x', files: ['own.ts'] });
    writeFileSync(project.path('src/db/.svc-codegen-typescript.json'), list);
    expect((await project.run('generate')).trouble).toBeUndefined();
    expect(project.read('src/db/own.ts')).toBe('export {};\n');
  });

  test.each(['svc.state', 'svc.state/accepted'])('nothing is written into %s', async (output) => {
    const project = await accepted(`generate: [{language: typescript, output: ${output}}]\n`);
    const { trouble } = await project.run('generate');
    expect(trouble?.message).toContain('is the state directory of the project');
  });

  test.each([
    ['above the project', '..', undefined],
    ['elsewhere', '/tmp', undefined],
    ['elsewhere by a link', 'linked/db', '/'],
  ])('nothing is written %s', async (_, output, link) => {
    const project = await accepted(`generate: [{language: typescript, output: ${output}}]\n`);
    if (link !== undefined) symlinkSync(newDirectory(), project.path('linked'));
    const { trouble } = await project.run('generate');
    expect(trouble?.message).toContain(':2:');
    expect(trouble?.message).toContain('is not inside the project');
  });

  test('two outputs that are the same directory are refused', async () => {
    const list = '[{language: typescript, output: db}, {language: typescript, output: ./db/}]';
    const project = await accepted(`generate: ${list}\n`);
    expect((await project.run('generate')).trouble?.message).toContain(
      'two clients for typescript in the same directory',
    );
  });
});

describe('--check', () => {
  test('says what differs, and writes nothing', async () => {
    const project = await accepted(wanted);
    const missing = await project.run('generate --check', { mode: 'json' });
    expect(missing.exitCode).toBe(3);
    expect(JSON.parse(missing.stdout)).toMatchObject({ up_to_date: false });
    expect(JSON.parse(missing.stdout).files.map((it: { state: string }) => it.state)).toEqual([
      'missing',
      'missing',
      'missing',
      'missing',
    ]);
    expect(existsSync(project.path('src'))).toBe(false);
    await project.run('generate');
    expect(await project.run('generate --check', { mode: 'json' })).toMatchObject({ exitCode: 0 });
    appendFileSync(project.path('src/db/db.gen.ts'), '// edited\n');
    const changed = await project.run('generate --check');
    expect(changed).toMatchObject({
      exitCode: 3,
      stdout: expect.stringMatching(/^changed .*db\.gen\.ts$/m),
    });
    expect(project.read('src/db/db.gen.ts')).toContain('edited');
  });

  test('names files that are wanted no more', async () => {
    const project = await accepted(wanted);
    await project.run('generate');
    writeFileSync(
      project.config,
      project.read('svc.config.yaml').replace('src/db', 'src/db, emit: js'),
    );
    const { stdout } = await project.run('generate --check');
    expect(stdout).toMatch(/^stale .*db\.gen\.ts$/m);
    expect(existsSync(project.path('src/db/db.gen.ts'))).toBe(true);
  });
});

describe('refused, with what to do', () => {
  const refused = async (project: Project, words: string) => {
    const { exitCode, trouble } = await project.run(words);
    return `${exitCode} ${trouble?.code} ${trouble?.message}`;
  };

  test('without an accepted schema', async () => {
    expect(await refused(projectWith(wanted), 'generate')).toStartWith(
      '1 schema_not_accepted this project has no accepted schema',
    );
  });

  test('with a schema file that no database has accepted', async () => {
    const project = await accepted(wanted);
    writeFileSync(project.path('svc.schema.yaml'), wider);
    expect(await refused(project, 'generate')).toMatch(
      /^1 schema_not_accepted .* has changes that no database has accepted/,
    );
    expect(await refused(project, 'generate --check')).toStartWith('1 schema_not_accepted');
  });

  test('where the project names no client', async () => {
    expect(await refused(await accepted(''), 'generate')).toStartWith('1 nothing_to_generate');
  });

  test('what is wrong with the configuration, at its place, and only where clients are the matter', async () => {
    const project = await accepted(
      'generate:\n  - {language: typescript, output: db, int46: number}\n',
    );
    expect(await refused(project, 'generate')).toMatch(
      /svc\.config\.yaml:3:\d+: unknown member "int46" of generate\[0\]; did you mean "int64"\?$/,
    );
    expect(await refused(project, 'schema migrate')).toContain('unknown member "int46"');
    expect((await project.run('schema status')).exitCode).toBe(0);
  });

  test.each([
    ['--check --watch', '--check cannot be used with --watch'],
    ['--lang go', 'the project configures no client in go'],
    ['--pkg db', '--pkg is only for clients in Go and Python'],
    ['--lang go --pkg A --out x', 'lower-case letters'],
    ['--lang go --pkg func --out x', 'not a keyword of Go or Python'],
    ['--lang python --pkg import --out x', 'not a keyword of Go or Python'],
    ['--lang cobol', 'Allowed choices'],
  ])('%s', async (flags, message) => {
    const { exitCode, trouble } = await (await accepted(wanted)).run(`generate ${flags}`);
    expect(exitCode).toBe(2);
    expect(trouble?.message).toContain(message.replace('Allowed choices', 'Expected one of'));
  });
});

test('flags describe a client that the project does not name', async () => {
  const project = await accepted('');
  const out = project.path('go/shop');
  const { trouble } = await project.run(`generate --lang go --pkg shop --out ${out}`);
  expect(trouble).toBeUndefined();
  expect(project.read('go/shop/svc_client_gen.go')).toContain('package shop');
});

describe('after a change of the schema', () => {
  test('migrate generates, unless it is told not to', async () => {
    const project = await accepted(wanted);
    writeFileSync(project.path('svc.schema.yaml'), wider);
    const { stdout, trouble } = await project.run('schema migrate', { mode: 'json' });
    expect(trouble).toBeUndefined();
    expect(JSON.parse(stdout).generated.length).toBe(4);
    expect(project.read('src/db/db.gen.ts')).toContain('more: string | null;');
    writeFileSync(project.path('svc.schema.yaml'), schema);
    await project.run(
      'schema migrate --no-generate --accept-data-loss --accept-changes delete_column',
    );
    expect(project.read('src/db/db.gen.ts')).toContain('more: string | null;');
    expect((await project.run('generate --check')).exitCode).toBe(3);
    expect((await project.run('schema pull')).stdout).toContain('1 file written');
    expect(project.read('src/db/db.gen.ts')).not.toContain('more: string | null;');
  });

  test('a client that cannot be generated does not make the migration a failure that it is not', async () => {
    const project = await accepted(wanted);
    writeFileSync(
      project.path('svc.schema.yaml'),
      wider.replace('id: 3, name: more', 'id: 4, name: most'),
    );
    mkdirSync(project.path('src/db'), { recursive: true });
    writeFileSync(project.path('src/db/db.gen.ts'), 'my own\n');
    const { exitCode, trouble } = await project.run('schema migrate');
    expect(exitCode).toBe(1);
    expect(trouble?.code).toBe('clients_not_generated');
    expect(trouble?.message).toContain('the schema was accepted and recorded');
    expect((await project.run('schema status')).exitCode).toBe(0);
    writeFileSync(project.path('svc.schema.yaml'), schema);
    await project.run(
      'schema migrate --no-generate --accept-data-loss --accept-changes delete_column',
    );
  });
});

describe('docs/clients.md', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/clients.md'), 'utf8');
  const [begin = '', more = ''] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  );

  test('its first client answers its first query', async () => {
    const project = await accepted(begin.slice(begin.indexOf('generate:')));
    expect((await project.run('generate')).trouble).toBeUndefined();
    const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const path = project.path('src/example.ts');
    writeFileSync(path, example.replace(':7237', `:${server.port}`));
    const { stdout, stderr } = Bun.spawnSync([process.execPath, path]);
    expect(`${stdout}${stderr}`).toBe('0\n');
  });

  test('its configuration is one', () => {
    const lines = new LineCounter();
    const document = parseDocument(more, { lineCounter: lines });
    const [target] = readTargets(document.get('generate', true) as Node, lines);
    expect(target).toMatchObject({ ids: 'branded', naming: 'camel' });
    expect([...(target?.relations.keys() ?? [])]).toEqual(['posts_author_id_fk']);
  });
});

test.each(['text', 'json'] as const)(
  '--watch generates again after a change, reports errors, and ends with Ctrl-C: %s',
  async (mode) => {
    const project = await accepted(wanted);
    const interrupt = new AbortController();
    const errors: string[] = [];
    const write = process.stderr.write;
    process.stderr.write = ((text: string) => errors.push(text) > 0) as typeof process.stderr.write;
    try {
      const watching = project.run('generate --watch', { mode, interrupt: interrupt.signal });
      const until = async (isSo: () => boolean) => {
        for (let turn = 0; turn < 500 && !isSo(); turn++) await Bun.sleep(10);
        expect(isSo()).toBe(true);
      };
      const module = project.path('src/db/db.gen.ts');
      await until(() => existsSync(module));
      const config = project.read('svc.config.yaml');
      writeFileSync(project.config, config.replace('src/db', 'src/db, int64: nubmer'));
      await until(() => errors.join('').includes('did you mean'));
      writeFileSync(project.config, config.replace('src/db', 'src/db, int64: number'));
      await until(() => readFileSync(module, 'utf8').includes('id: number;'));
      interrupt.abort();
      const ended = await watching;
      expect(ended).toMatchObject({ exitCode: 0, trouble: undefined });
      if (mode === 'text') return;
      // One document per line: two results, and one error between them.
      const results = ended.stdout.split('\n').map((line) => JSON.parse(line));
      expect(results.length).toBe(2);
      expect(errors.map((line) => JSON.parse(line))).toMatchObject([{ ok: false }]);
    } finally {
      process.stderr.write = write;
    }
  },
);
