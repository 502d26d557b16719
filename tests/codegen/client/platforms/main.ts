/**
 * `npm run clients-platforms [-- --only NAME]`: runs the checks of smoke.ts on Bun, on the Node in PATH, in a page and a worker of the Chromium in PATH, and on
 * Node 20, 22, 24 and Deno from their npm packages, which are installed into a temporary directory. Exit code 1 when one of them fails.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServerProcess } from '../../../support/server-process.ts';
import { checksIn, chromiumPath, serveChecks, type Where } from './browser.ts';
import type { Places } from './smoke.ts';

interface Platform {
  readonly name: string;
  /** The npm package that brings the executable; absent when it is there already. */
  readonly from?: string;
  /** What the checks said. Rejects where one has not passed. */
  run(places: Places, folder: string): Promise<string>;
}

/** A runtime that takes the path of a script. */
const program = (name: string, command: (folder: string) => readonly string[]): Platform => ({
  name,
  run: async (places, own) => {
    const start = join(folder, `${name}.mjs`);
    const smoke = JSON.stringify(join(folder, 'smoke.mjs'));
    writeFileSync(
      start,
      `import { smoke } from ${smoke};\nconst passed = await smoke(${JSON.stringify(places)});\nconsole.log(passed.length + ' checks');\n${name === 'deno' ? 'Deno.exit(0)' : 'process.exit(0)'};\n`,
    );
    const child = Bun.spawn([...command(own), start], {
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 60_000,
    });
    const text = (await new Response(child.stdout).text()).trim();
    const status = await child.exited;
    if (status !== 0) throw new Error(`${text} exit code ${status}`);
    return text;
  },
});

const packaged = (
  name: string,
  from: string,
  binary: string,
  flags: readonly string[] = [],
): Platform => ({
  ...program(name, (own) => [join(own, 'node_modules', '.bin', binary), ...flags]),
  from,
});

const inBrowser = (name: string, where: Where): Platform => ({
  name,
  run: (places) => checksIn(where, site.origin, places),
});

const platforms: readonly Platform[] = [
  program('bun', () => [process.execPath]),
  program('node', () => ['node']),
  ...(chromiumPath() === undefined
    ? []
    : [inBrowser('chromium', 'page'), inBrowser('worker', 'worker')]),
  packaged('node20', 'node@20', 'node'),
  packaged('node22', 'node@22', 'node'),
  packaged('node24', 'node@24', 'node'),
  packaged('deno', 'deno@2', 'deno', ['run', '--allow-net', '--no-config', '--no-lock']),
];

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const chosen = platforms.filter(({ name }) => values.only?.includes(name) ?? true);
const folder = mkdtempSync(join(tmpdir(), 'svc-platforms-'));
const site = serveChecks(join(folder, 'smoke.mjs'));
let failed = 0;
try {
  const { success } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'smoke.ts')],
    outdir: folder,
    target: 'browser',
    naming: 'smoke.mjs',
  });
  if (!success) throw new Error('the checks cannot be bundled');
  for (const platform of chosen) if (!(await passes(platform))) failed++;
} finally {
  await site.stop();
  rmSync(folder, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);

/** Each platform has a server and a directory of its own. */
async function passes({ name, from, run }: Platform): Promise<boolean> {
  const own = join(folder, name);
  if (from !== undefined) {
    const install = [
      'npm',
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--prefix',
      own,
      from,
    ];
    const child = Bun.spawn(install, { stdout: 'ignore', stderr: 'inherit' });
    if ((await child.exited) !== 0) return told(name, false, `npm cannot install ${from}`);
  }
  const server = await startServerProcess(['--storage', 'memory', '--cors-origin', site.origin]);
  const breaking = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  const closed = createServer().listen(0, '127.0.0.1');
  try {
    const [a, b, c] = await Promise.all([breaking, silent, closed].map(portOf));
    closed.close();
    const at = (port: number | undefined) => `http://127.0.0.1:${port}`;
    const places: Places = { url: server.url, breaking: at(a), silent: at(b), closed: at(c) };
    await createTable(server.url);
    return told(name, true, await run(places, own));
  } catch (error) {
    return told(name, false, String(error));
  } finally {
    server.kill('SIGKILL');
    breaking.close();
    silent.close();
  }
}

function told(name: string, isWell: boolean, text: string): boolean {
  console.log(`${name.padEnd(10)}${isWell ? 'passed' : 'FAILED'}  ${text}`);
  return isWell;
}

function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    const tell = () => resolve((server.address() as { readonly port: number }).port);
    if (server.listening) tell();
    else server.once('listening', tell);
  });
}

async function createTable(url: string): Promise<void> {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ];
  const response = await fetch(`${url}/tables`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'notes', columns, primary_key: ['id'] }),
  });
  if (!response.ok) throw new Error(await response.text());
}
