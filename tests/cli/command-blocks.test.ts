/** Every command block of the README and of `docs/` is run: those of the tours by their tests, all others here. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeServer } from '../s3/fake-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { paste } from './paste.ts';
import { type Block, blocksOf } from './readme-blocks.ts';
import { runCommand } from './run.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..', '..');
const home = mkdtempSync(join(tmpdir(), 'svc-blocks-'));
const servers: ServerProcess[] = [];

afterAll(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await Promise.all(servers.map((server) => server.exited));
  rmSync(home, { recursive: true, force: true });
});

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** Runs as its tour is followed, from the first heading to the second. */
const tours: Readonly<Record<string, readonly [test: string, from: string, to: string]>> = {
  'README.md': ['readme.test.ts', '\n## Five minutes\n', '\n## Next steps\n'],
  'docs/projects.md': ['projects-page.test.ts', '# Team workflow and environments\n', ''],
  'docs/production.md': ['production-page.test.ts', '# Deploy to production\n', ''],
  'docs/security.md': ['security-page.test.ts', '# Security\n', ''],
  'docs/api-keys.md': ['api-keys-page.test.ts', '# API keys\n', ''],
  'docs/row-policies.md': ['row-policies-page.test.ts', '# Row policies\n', ''],
  'docs/sql-clients.md': ['../postgres/clients/page.test.ts', '# SQL clients\n', ''],
};

/** Changes the machine, is this very run, or ends only with Ctrl-C (`tests/cli/dev/`). */
const notRun = [
  'svc init blog --yes --template web\ncd blog\nsvc dev\n',
  'npm ci && npm start     # starts the server on 127.0.0.1:7237, data in ./svc.data; Ctrl-C stops it\nnpm ci && npm test      # runs the tests, except the slowest (npm run test:all)\n',
  // tests/release runs the script against a server of its own.
  'SVC_RELEASES=https://example.com/svc/0.1.0 sh install.sh\n',
  'apt-get install ./svc_0.1.0_amd64.deb\n',
];

/** Blocks of a page that no tour runs. */
function others(page: string): readonly Block[] {
  const text = textOf(page);
  const [, from, to] = tours[page] ?? [];
  if (from === undefined) return blocksOf(text);
  const start = text.indexOf(from);
  const end = to === '' ? text.length : text.indexOf(to ?? '');
  expect([start, end]).not.toContain(-1);
  return [...blocksOf(text.slice(0, start)), ...blocksOf(text.slice(end))];
}

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** `svc serve …` of a block, on a free port; the words that follow `serve`. */
function flagsOf(line: string): readonly string[] {
  const words = line.replace(/ +#.*$/, '').split(' ');
  expect(words.slice(0, 2)).toEqual(['svc', 'serve']);
  return words.slice(2).filter((word, i, all) => word !== '--addr' && all[i - 1] !== '--addr');
}

async function started(flags: readonly string[], env = {}): Promise<ServerProcess> {
  const server = await startServerProcess(flags, { env });
  servers.push(server);
  return server;
}

test('all of them are known', () => {
  for (const [page, [name]] of Object.entries(tours)) {
    expect(textOf(`tests/cli/${name}`)).toContain(page);
  }
  const found = pages.flatMap((page) => others(page).map(({ script }) => [page, script]));
  const scripts = found.filter(([, script = '']) => !notRun.includes(script));
  expect(scripts.map(([page]) => page).sort()).toEqual([
    'docs/deploy.md',
    'docs/deploy.md',
    'docs/deploy.md',
    'docs/http.md',
    'docs/http.md',
    'docs/large-tables.md',
    'docs/migrations.md',
    'docs/monitoring.md',
    'docs/postgres.md',
    'docs/readers.md',
    'docs/statistics.md',
  ]);
});

const isCommand = /^(?:\$ |svc |npm |curl |export )/;

test.each(pages)('%s has no commands in blocks of another kind', (page) => {
  const commands: string[] = [];
  let fence: string | undefined;
  for (const line of textOf(page).split('\n')) {
    const isFence = line.startsWith('```');
    if (isFence) fence = fence === undefined ? line : undefined;
    else if (fence !== undefined && fence !== '```sh' && isCommand.test(line)) commands.push(line);
  }
  expect(commands).toEqual([]);
});

test('migrations: the two commands', async () => {
  const server = await started(['--storage', 'memory', '--catalog-mode', 'schema']);
  const url = `svc://127.0.0.1:${server.port}`;
  await runCommand(['init', 'project', '--yes', '--database-url', url], {}, home);
  const [block] = others('docs/migrations.md');
  const { output } = await paste(join(home, 'project'), [], block?.script as string);
  expect(output).toBe(block?.text as string);
});

test('large tables: an online build and its end', async () => {
  const server = await started(['--storage', 'memory']);
  const type = 'int64';
  const columns = ['id', 'created_at'].map((name) => ({ name, type }));
  await fetch(`${server.url}/tables`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'orders', primary_key: ['id'], columns }),
  });
  const [{ script, text = '' }] = others('docs/large-tables.md') as [Block];
  const here = script.replaceAll('127.0.0.1:7237', `127.0.0.1:${server.port}`);
  const { output } = await paste(home, [], here);
  const [start, end] = text.trim().split('\n') as [string, string];
  expect(output).toStartWith(start.slice(0, start.indexOf('…')));
  expect(output).toEndWith(`${end.replace('10,000,000', '0')}\n`);
});

test.each(['http', 'monitoring', 'statistics'])(
  '%s: requests from a command line',
  async (page) => {
    const { port } = await started(['--storage', 'memory']);
    for (const { script, text } of others(`docs/${page}.md`)) {
      const here = script.replace('127.0.0.1:7237', `127.0.0.1:${port}`);
      const { output, statuses } = await paste(home, [], here);
      if (text !== undefined) expect(output.replace(/\n200\n$/, '\n')).toBe(text);
      else expect(statuses).toEqual([200]);
    }
  },
);

test('readers: a writer and its reader', async () => {
  const [block] = others('docs/readers.md');
  const [writer = '', reader = ''] = (block?.script ?? '').split('\n');
  const placed = (line: string) =>
    flagsOf(line).map((word) => (word === 'data' ? join(home, 'data') : word));
  await started(placed(writer));
  const { url } = await started(placed(reader));
  expect(await (await fetch(`${url}/info`)).json()).toMatchObject({ access: 'read' });
});

test('deploy: whether a server is ready', async () => {
  const { port } = await started(['--storage', 'memory']);
  const [, block] = others('docs/deploy.md') as readonly [Block, Block];
  const { output } = await paste(home, [], `export SVC_ADDR=127.0.0.1:${port}\n${block.script}`);
  expect(output).toBe(block.text?.replace('7237', String(port)) as string);
});

describe('deploy: a store in a bucket', () => {
  const [doctor, , serve] = others('docs/deploy.md');

  test('what the doctor says of it, and a server there', async () => {
    await using bucket = await startFakeServer();
    const here = (script: string) =>
      script
        .replaceAll('…', 'x')
        .replaceAll('--s3-bucket my-data', `--s3-bucket bucket --s3-endpoint ${bucket.endpoint}`);
    const { output } = await paste(home, [], here(doctor?.script as string));
    const timeless = (text: string) => text.replaceAll(/\d+(?:\.\d+)? ms/g, '… ms');
    expect(timeless(output)).toBe(timeless(doctor?.text as string));
    const flags = flagsOf(here(serve?.script as string).trim());
    const env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
    const server = await started(flags, env);
    expect(await (await fetch(`${server.url}/info`)).json()).toMatchObject({ access: 'write' });
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});
