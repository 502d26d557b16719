/** Each template of `svc init` is a project that works: its schema arrives, its rows as well, and they mean what they say. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { templates } from '../../../src/cli/templates/templates.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { newDirectory, runWithin, shellFor } from '../within.ts';

const servers: ServerProcess[] = [];
beforeAll(async () => {
  const start = () => startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema']);
  servers.push(...(await Promise.all(templates.map(start))));
});
afterAll(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await Promise.all(servers.map(({ exited }) => exited));
});

async function svc(...argv: readonly string[]) {
  const { shell, said } = shellFor();
  return { ...(await runWithin(shell, argv)), said };
}

type Handle = (request: Request) => Promise<Response>;

interface App {
  readonly handle: Handle;
}

const ask = (handle: Handle, path: string, init?: RequestInit) =>
  handle(new Request(`http://localhost${path}`, init));
const form = (fields: Readonly<Record<string, string>>) => ({
  method: 'POST',
  body: new URLSearchParams(fields),
});
const json = (method: string, value: unknown) => ({ method, body: JSON.stringify(value) });
const textOf = async (handle: Handle, path: string) => (await ask(handle, path)).text();

/** What somebody does with each application. */
const uses: Readonly<
  Record<(typeof templates)[number]['name'], (handle: Handle) => Promise<void>>
> = {
  async web(handle) {
    const before = await textOf(handle, '/');
    expect(before).toContain('<h2>Hello</h2>');
    expect(before).toContain('by Ada, 1 like<');
    expect(before).toContain('<li>Bob: Is there more to come?</li>');
    expect(before).not.toContain('Not ready yet');
    const article = /name="article" value="([^"]+)"/.exec(before)?.[1] as string;
    const comment = { article, email: 'bob@example.org', body: '<b>Good</b>' };
    const sent = await ask(handle, '/comments', form(comment));
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/']);
    expect(await textOf(handle, '/')).toContain('Bob: &#60;b&#62;Good&#60;/b&#62;');
    for (const [wrong, said] of [
      [{ body: ' ' }, 'needs a text'],
      [{ email: 'eve@example.org' }, 'No user has this'],
      [{ article: 'none' }, 'This article does not exist'],
      [{ article: comment.article.replace(/.$/, '0') }, 'This article does not exist'],
    ] as const) {
      const refused = await ask(handle, '/comments', form({ ...comment, ...wrong }));
      expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(said)]);
    }
    expect((await ask(handle, '/none')).status).toBe(404);
  },
  async api(handle) {
    const path = '/organizations/acme';
    const added = await ask(handle, `${path}/projects/Site/tasks`, json('POST', { title: 'Ship' }));
    expect(added.status).toBe(201);
    const { id, version } = (await added.json()) as { id: string; version: number };
    const done = json('PATCH', { status: 'done', version });
    expect(await (await ask(handle, `/tasks/${id}`, done)).json()).toMatchObject({ version: 2 });
    expect((await ask(handle, `/tasks/${id}`, done)).status).toBe(409);
    expect((await ask(handle, `/tasks/${id.replace(/.{4}$/, '0000')}`, done)).status).toBe(404);
    const unclear = json('PATCH', { status: 'gone', version });
    expect((await ask(handle, `/tasks/${id}`, unclear)).status).toBe(422);
    expect(await (await ask(handle, path)).json()).toMatchObject({
      name: 'Acme',
      members: 2,
      projects: [
        {
          name: 'Site',
          tasks: expect.arrayContaining([
            expect.objectContaining({ title: 'Ship', status: 'done', assignee: null }),
            expect.objectContaining({ assignee: { email: 'bob@example.org' } }),
          ]),
        },
      ],
    });
    expect((await ask(handle, '/organizations/none')).status).toBe(404);
    const nowhere = await ask(handle, `${path}/projects/App/tasks`, json('POST', { title: 'x' }));
    expect(nowhere.status).toBe(404);
    const broken = await ask(handle, `${path}/projects/Site/tasks`, { method: 'POST', body: '{' });
    expect(broken.status).toBe(422);
  },
  async notes(handle) {
    const before = await textOf(handle, '/');
    expect(before).toContain('<h2>Work of ada</h2>');
    expect(before).toMatch(/<h3>Plan<\/h3>[\s\S]*?<code>idea<\/code> <code>urgent<\/code>/);
    const notebook = /name="notebook" value="([^"]+)"/.exec(before)?.[1] as string;
    const note = { notebook, title: 'Tea', body: 'green', tags: 'idea, new,,idea' };
    expect((await ask(handle, '/notes', form(note))).status).toBe(303);
    expect(await textOf(handle, '/')).toMatch(
      /<h3>Tea<\/h3>\s*<p>green<\/p>\s*<p><code>idea<\/code> <code>new<\/code> <\/p>/,
    );
    const untagged = await ask(handle, '/notes', form({ notebook, title: 'Plain' }));
    expect(untagged.status).toBe(303);
    const refused = await ask(handle, '/notes', form({ ...note, notebook: 'none' }));
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('This notebook does not exist'),
    ]);
  },
};

/** Projects that have their clients. */
const roots: string[] = [];

test.each(templates.map((template, i) => [template.name, template, i] as const))(
  '%s',
  async (name, template, i) => {
    const root = newDirectory();
    const url = `svc://127.0.0.1:${servers[i]?.port}`;
    const made = await svc('init', root, '--yes', '--template', name, '--database-url', url);
    expect(made.trouble).toBeUndefined();
    expect(made.stdout).toContain(`svc serve --catalog-mode schema --addr ${url.slice(6)}    in`);
    const at = ['--config', join(root, 'svc.config.yaml')];
    const valid = await svc('validate', join(root, 'svc.schema.yaml'));
    expect(valid.stdout).toContain('5 tables');
    expect(valid.said).toEqual([]);
    const early = await svc('seed', ...at);
    expect(early.trouble).toMatchObject({ code: 'seed_without_schema', exitCode: 1 });
    expect(early.trouble?.hint).toContain('`svc schema migrate --config');
    expect((await svc('schema', 'migrate', ...at)).trouble).toBeUndefined();
    const seeded = await svc('seed', ...at);
    expect(seeded.trouble).toBeUndefined();
    const rows = Object.values(JSON.parse(template.seed) as object).flat().length;
    expect(seeded.stdout).toEndWith(`tables, ${rows} rows`);
    expect((await svc('seed', '--reset', ...at)).trouble).toBeUndefined();
    // The client that the application imports is there by now.
    const { handle } = (await import(join(root, 'src/app.ts'))) as App;
    await uses[name](handle);
    roots.push(root);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain(`\`svc serve --catalog-mode schema --addr ${url.slice(6)}\``);
  },
);

test('the applications compile as their own configuration wants it', async () => {
  const [first] = roots as [string];
  const own = JSON.parse(readFileSync(join(first, 'tsconfig.json'), 'utf8'));
  const here = join(import.meta.dir, '../../..');
  // All in one run: a compiler that starts costs more than what it compiles.
  const config = join(newDirectory(), 'tsconfig.json');
  const typeRoots = [join(here, 'node_modules/@types')];
  const compilerOptions = { ...own.compilerOptions, typeRoots };
  const include = roots.map((root) => join(root, 'src'));
  writeFileSync(config, JSON.stringify({ compilerOptions, include }));
  expect(roots.length).toBe(templates.length);
  const tsc = Bun.spawnSync([join(here, 'node_modules/.bin/tsc'), '-p', config]);
  expect([tsc.exitCode, tsc.stdout.toString()]).toEqual([0, '']);
});

const node = Bun.which('node');

test.skipIf(node === null)(
  'a Node that does not run TypeScript reports the version it needs',
  () => {
    const [first] = roots as [string];
    const version = Bun.spawnSync([node as string, '--version']).stdout.toString();
    const runsTypes = Bun.semver.satisfies(version.trim(), '>=22.18');
    const flags = runsTypes ? ['--no-experimental-strip-types'] : [];
    const { exitCode, stdout, stderr } = Bun.spawnSync([node as string, ...flags, 'src/start.js'], {
      cwd: first,
    });
    expect([exitCode, stdout.toString()]).toEqual([1, '']);
    expect(stderr.toString()).toStartWith(`node ${version.trim()}: this version does not run`);
  },
);

test('Bun starts an application by the script that Node starts', async () => {
  const [first] = roots as [string];
  const run = Bun.spawn([process.execPath, 'src/start.js'], {
    cwd: first,
    env: { ...process.env, PORT: '0' },
    stdout: 'pipe',
  });
  const { value } = await run.stdout.getReader().read();
  run.kill();
  await run.exited;
  expect(new TextDecoder().decode(value)).toContain('http://127.0.0.1:');
});

test('what is there stays: a seed is refused, a README is not', async () => {
  const root = newDirectory();
  writeFileSync(join(root, 'svc.seed.json'), '{}');
  const refused = await svc('init', root, '--yes', '--template', 'notes');
  expect(refused.trouble).toMatchObject({ code: 'file_exists', exitCode: 1 });
  expect(existsSync(join(root, 'svc.config.yaml'))).toBe(false);
  const other = newDirectory();
  writeFileSync(join(other, 'README.md'), 'mine');
  const { stdout } = await svc('init', other, '--yes', '--template', 'notes');
  expect(stdout).toContain('svc.seed.json');
  expect(stdout).not.toContain('README.md');
  expect(readFileSync(join(other, 'README.md'), 'utf8')).toBe('mine');
});

test('a template and no table at all exclude each other, and there are only these', async () => {
  const root = newDirectory();
  const both = await svc('init', root, '--yes', '--template', 'notes', '--empty');
  expect(both.trouble).toMatchObject({ code: 'usage', exitCode: 2 });
  const { trouble } = await svc('init', root, '--yes', '--template', 'note');
  expect(trouble?.exitCode).toBe(2);
  expect(existsSync(join(root, 'svc.config.yaml'))).toBe(false);
});

test('with a template nothing is asked about a starter table', async () => {
  const root = newDirectory();
  const { shell, asked } = shellFor({ answers: [''] });
  const { trouble } = await runWithin(shell, ['init', root, '--template', 'web']);
  expect(trouble).toBeUndefined();
  expect(asked).toEqual(['Database URL [svc://127.0.0.1:7237]: ']);
});
