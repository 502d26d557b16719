/** `svc dev` on a terminal, as somebody works with it: a schema that changes, questions, mistakes, and the end. */

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Subprocess } from 'bun';
import { program } from '../../support/program.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { newDirectory, projectAt, runWithin, shellFor } from '../within.ts';

// Only ends what hangs.
setDefaultTimeout(60_000);

const schema = `tables:
  - id: 1
    name: notes
    columns:
      - {id: 1, name: id, type: int64, pk: true}
      - {id: 2, name: text, type: string}
`;
const wider = `${schema}      - {id: 3, name: more, type: string, nullable: true}\n`;
const narrowest = schema.replace('      - {id: 2, name: text, type: string}\n', '');
const wanted = 'generate:\n  - {language: typescript, output: db}\n';
const narrower = wider.replace('      - {id: 2, name: text, type: string}\n', '');

interface Terminal {
  readonly root: string;
  /** Resolves once this has been printed behind what was waited for last. */
  until(text: string): Promise<void>;
  type(text: string): void;
  write(text: string): void;
  readonly exited: Promise<number>;
  url(): string;
  kill(signal: NodeJS.Signals): void;
  output(): string;
}

function project(generate = wanted): string {
  const config = projectAt('svc://127.0.0.1', schema);
  appendFileSync(config, generate);
  const root = dirname(config);
  writeFileSync(join(root, 'svc.seed.json'), '{"notes": [{"id": 1, "text": "one"}]}');
  return root;
}

/** Those that a test which failed has left. */
const started: Subprocess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

function develop(root: string, ...flags: readonly string[]): Terminal {
  let output = '';
  let seen = 0;
  let hear = () => {};
  const decoder = new TextDecoder();
  const child = Bun.spawn([...program, 'dev', ...flags], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', SVC_ADDR: '127.0.0.1:0' },
    terminal: {
      cols: 120,
      rows: 24,
      data(_, bytes) {
        output += decoder.decode(bytes, { stream: true });
        hear();
      },
    },
  });
  started.push(child);
  const ended = child.exited.then(() => hear());
  void ended;
  return {
    root,
    async until(text) {
      for (;;) {
        const at = output.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (child.exitCode !== null) throw new Error(`it ended without ${text}: ${output}`);
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
      }
    },
    type: (text) => void child.terminal?.write(text),
    write: (text) => writeFileSync(join(root, 'svc.schema.yaml'), text),
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    output: () => output,
    url: () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] as string,
  };
}

test('the database, the clients and the rows follow the files, and nothing is lost unasked', async () => {
  const dev = develop(project());
  await dev.until('svc.seed.json, loaded if the database is empty');
  await dev.until('ready  version 1');
  await dev.until('generated  db (typescript): 3 files written');
  await dev.until('seeded  svc.seed.json');
  dev.write(wider);
  await dev.until('ready  version 2');
  await dev.until('1 file written');
  expect(readFileSync(join(dev.root, 'db/db.gen.ts'), 'utf8')).toContain('more: string | null;');
  dev.write(wider.replace('type: string}', 'type: strnig}'));
  await dev.until('svc.schema.yaml has one error');
  // What was typed before the question agrees to nothing, with and without the end of its line.
  dev.type('y\r');
  dev.type('y');
  await dev.until('y');
  dev.write(narrower);
  await dev.until('Continue? [y/N]');
  dev.type('\r');
  await dev.until('nothing was changed\r\nrevert the change, or save the file again');
  expect(await (await fetch(`${dev.url()}/tables`)).text()).toContain('"text"');
  // Nor does an answer, once the file says something else.
  dev.write(`${narrower}\n`);
  await dev.until('Continue? [y/N]');
  dev.write(wider);
  dev.type('y\r');
  await dev.until('changed after the question; nothing was changed');
  await dev.until('No schema changes');
  dev.write(`${narrower}\n`);
  await dev.until('Continue? [y/N]');
  dev.type('y\r');
  await dev.until('ready  version 3');
  await dev.until('1 file written');
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
  // The store is kept, with its rows.
  const again = develop(dev.root);
  await again.until('ready  version 3');
  // The same port as well: it is the store that is worth a word.
  const env = { ...process.env, SVC_ADDR: new URL(again.url()).host };
  const { exitCode, stderr } = Bun.spawnSync([...program, 'dev'], { cwd: dev.root, env });
  expect(`${exitCode} ${stderr}`).toMatch(
    /^1 error: the storage directory .* is in use by process .*\n`svc dev` or `svc serve` may be running/,
  );
  writeFileSync(join(dev.root, 'svc.seed.json'), '{"notes": []}');
  await again.until('svc.seed.json changed');
  await again.until('the database already has rows; `svc seed --reset --database-url');
  again.kill('SIGTERM');
  expect(await again.exited).toBe(0);
  expect(again.output()).not.toContain('seeded');
});

test('from nothing to an application that answers: init, dev, start', async () => {
  const root = newDirectory();
  const made = ['init', root, '--yes', '--template', 'web'];
  expect((await runWithin(shellFor().shell, made)).trouble).toBeUndefined();
  const dev = develop(root, '--throw-away');
  await dev.until('generated  src/db (typescript)');
  await dev.until('seeded');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, entry] = /^node (.*)$/.exec(scripts.start) as string[];
  const app = Bun.spawn([process.execPath, entry as string], {
    cwd: root,
    env: { ...process.env, PORT: '0', SVC_DATABASE_URL: dev.url() },
    stdout: 'pipe',
  });
  started.push(app);
  const listening = await app.stdout.getReader().read();
  const url = Buffer.from(listening.value ?? [])
    .toString()
    .trim();
  const article = /name="article" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1];
  const body = new URLSearchParams({
    article: `${article}`,
    email: 'ada@example.org',
    body: 'Yes',
  });
  const commented = await fetch(`${url}/comments`, { method: 'POST', body });
  expect(await commented.text()).toContain('<li>Ada: Yes</li>');
  const large = await fetch(`${url}/comments`, { method: 'POST', body: 'x'.repeat(2 ** 21) });
  expect(large.status).toBe(413);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  const env = { ...process.env, PORT: new URL(url).port };
  const second = Bun.spawnSync([process.execPath, entry as string], { cwd: root, env });
  expect([second.exitCode, second.stderr.toString()]).toEqual([
    1,
    expect.stringContaining('set PORT to another'),
  ]);
  app.kill();
  await app.exited;
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
});

test.each(['Ctrl-C', 'SIGTERM', 'SIGQUIT'] as const)(
  '%s at a question ends it, in order',
  async (how) => {
    const dev = develop(project(''));
    await dev.until('seeded');
    dev.write(narrowest);
    await dev.until('Continue? [y/N]');
    if (how === 'Ctrl-C') dev.type('\u0003');
    else dev.kill(how);
    expect(await dev.exited).toBe(0);
    expect(dev.output()).toMatch(/interrupted.*nothing was changed/);
  },
);

test('what is wrong with one file keeps nothing else back, and is tried again when it changes', async () => {
  const root = project('');
  const path = (name: string) => join(root, name);
  mkdirSync(path('db'));
  writeFileSync(path('db/db.gen.ts'), 'mine');
  writeFileSync(path('svc.seed.json'), '{"notes": [{"id": "one"}]}');
  const config = readFileSync(path('svc.config.yaml'), 'utf8');
  writeFileSync(path('svc.config.yaml'), `${config}${wanted}`);
  const dev = develop(root, '--throw-away');
  await dev.until('its clients were not generated');
  await dev.until('svc.seed.json:1:');
  writeFileSync(path('svc.seed.json'), '{"notes": [{"id": 1, "text": "one"}]}');
  await dev.until('seeded');
  // Another address in the file is none of a server that runs: what follows is still its own database.
  writeFileSync(path('svc.config.yaml'), 'database_url: svc://127.0.0.1:1\n');
  await dev.until('svc.config.yaml changed');
  await dev.until('ready  version 1');
  dev.kill('SIGUSR1');
  dev.kill('SIGUSR2');
  dev.kill('SIGHUP');
  expect(await dev.exited).toBe(0);
});

test('another address in the configuration is for the next time', async () => {
  const dev = develop(project());
  await dev.until('seeded  svc.seed.json');
  const path = join(dev.root, 'svc.config.yaml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/^database_url: .*$/m, 'database_url: http://127.0.0.1:1'));
  await dev.until(`database_url has changed; the server stays at ${dev.url()} until`);
  await dev.until('ready');
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
});

test('a pipe in the place of a file keeps nothing from going on', async () => {
  const dev = develop(project());
  await dev.until('seeded  svc.seed.json');
  const path = join(dev.root, 'svc.schema.yaml');
  rmSync(path);
  Bun.spawnSync(['mkfifo', path]);
  await dev.until('svc.schema.yaml is a pipe or a device, not a file');
  expect((await fetch(`${dev.url()}/livez`)).status).toBe(200);
  rmSync(path);
  dev.write(wider);
  await dev.until('ready  version 2');
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
});

test('a seed may be a script that uses the client, and it ends with the command', async () => {
  const root = project();
  rmSync(join(root, 'svc.seed.json'));
  const script = `import { connect, t } from './db/db.gen.js';
const db = connect({ url: process.env.SVC_DATABASE_URL ?? '' });
const made = await db.run(t.notes.insert({ id: 7, text: 'made up' }));
setInterval(() => {}, 1000);
console.log('made', made.id, 'by', process.pid);
`;
  writeFileSync(join(root, 'svc.seed.ts'), script);
  const dev = develop(root, '--throw-away');
  await dev.until('made 7n by ');
  await dev.until('\r\n');
  const pid = Number(/by (\d+)/.exec(dev.output())?.[1]);
  process.kill(pid, 0);
  dev.kill('SIGTERM');
  expect(await dev.exited).toBe(0);
  expect(() => process.kill(pid, 0)).toThrow();
});

test('without a terminal nothing is asked: what would be is refused, with what agrees', async () => {
  const root = project('');
  const env = { ...process.env, SVC_ADDR: '127.0.0.1:0' };
  const start = () => {
    const child = Bun.spawn([...program, 'dev'], {
      cwd: root,
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    started.push(child);
    return child;
  };
  const said = async (stream: ReadableStream<Uint8Array>, text: string) => {
    let heard = '';
    for await (const part of stream) {
      heard += Buffer.from(part).toString();
      if (heard.includes(text)) break;
    }
    return heard;
  };
  const first = start();
  await said(first.stdout, 'seeded');
  first.kill('SIGINT');
  await first.exited;
  writeFileSync(join(root, 'svc.schema.yaml'), narrowest);
  const second = start();
  expect(await said(second.stderr, 'in another terminal')).toContain(
    'use --accept-data-loss to confirm: run `svc schema migrate` with it',
  );
  second.kill('SIGINT');
  expect(await second.exited).toBe(0);
});

test('a store that programs may change is followed as it is', async () => {
  const root = project('');
  const directory = join(root, 'svc.data');
  const server = await startServerProcess(['--storage-path', directory]);
  server.kill('SIGTERM');
  await server.exited;
  const dev = develop(root);
  await dev.until('runs with --catalog-mode direct');
  await dev.until('seeded');
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
});

test('what is thrown away asks nothing, and leaves no database behind', async () => {
  const root = project();
  const dev = develop(root, '--throw-away');
  await dev.until('deleted on exit');
  await dev.until('seeded');
  dev.write(narrowest);
  await dev.until('ready  version 2');
  dev.type('\u0003');
  expect(await dev.exited).toBe(0);
  expect(existsSync(join(root, 'svc.data'))).toBe(false);
  expect(readdirSync(join(root, 'svc.state')).sort()).not.toContain('databases');
});

test('--json: a line of JSON for each result on stdout, and for each error on stderr', async () => {
  const root = project();
  const child = Bun.spawn([...program, 'dev', '--throw-away', '--json'], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', SVC_ADDR: '127.0.0.1:0' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  started.push(child);
  const done = documentsOf(child.stdout);
  const mistakes = documentsOf(child.stderr);
  const next = async (from: AsyncIterator<unknown>) => (await from.next()).value;
  const generated = expect.arrayContaining([
    { language: 'typescript', path: 'db/db.gen.ts', state: 'created' },
  ]);
  expect(await next(done)).toMatchObject({ state: 'ready', schema_version: 1, generated });
  expect(await next(done)).toMatchObject({ file: 'svc.seed.json', rows: 1, reset: false });
  writeFileSync(join(root, 'svc.schema.yaml'), 'tables: [');
  expect(await next(mistakes)).toMatchObject({ ok: false, error: { code: 'schema_invalid' } });
  writeFileSync(join(root, 'svc.schema.yaml'), wider);
  expect(await next(done)).toMatchObject({ state: 'ready', schema_version: 2 });
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  expect(await next(done)).toBeUndefined();
});

/** Yields the JSON document of each line that begins with `{`. Other lines are progress messages. */
async function* documentsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    const lines = (text + decoder.decode(bytes, { stream: true })).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{')) yield JSON.parse(line);
  }
}

const refused: readonly (readonly [what: string, flags: readonly string[], said: string])[] = [
  [
    'another machine',
    ['--database-url', 'svc://db.example'],
    'is not a plain HTTP address of this machine',
  ],
  ['TLS', ['--database-url', 'svcs://127.0.0.1'], 'is not a plain HTTP address of this machine'],
  [
    'two stores',
    ['--throw-away', '--storage-path', 'x'],
    '--throw-away cannot be used with --storage-path',
  ],
];
test.each(refused)('is refused: %s', async (_, flags, said) => {
  const config = join(project(), 'svc.config.yaml');
  const { trouble } = await runWithin(shellFor().shell, ['dev', '--config', config, ...flags]);
  expect(trouble).toMatchObject({ exitCode: 2, message: expect.stringContaining(said) });
});

test('an address that is taken is named, with the flag of this command', () => {
  using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const flags = ['--throw-away', '--database-url', `svc://127.0.0.1:${other.port}`];
  const { exitCode, stderr } = Bun.spawnSync([...program, 'dev', ...flags], { cwd: project() });
  expect(exitCode).toBe(1);
  expect(stderr.toString()).toContain('choose another address with --database-url');
});

test('a project of environments alone has no database that this could be', async () => {
  const config = join(project(), 'svc.config.yaml');
  writeFileSync(config, 'environments: { staging: { database_url: "svc://db.example" } }\n');
  const { trouble } = await runWithin(shellFor().shell, ['dev', '--config', config]);
  expect(trouble).toMatchObject({ exitCode: 2, hint: expect.stringContaining('--database-url') });
});

test('outside of a project it says how to begin', async () => {
  const config = join(newDirectory(), 'svc.config.yaml');
  const { trouble } = await runWithin(shellFor().shell, ['dev', '--config', config]);
  expect(trouble).toMatchObject({ exitCode: 1, hint: expect.stringContaining('svc init') });
});
