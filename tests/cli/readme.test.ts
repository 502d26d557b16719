/** A stranger follows the README: every block of its tour, pasted in order, answers what the README says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { tourOf } from './readme-blocks.ts';

const readme = readFileSync(join(import.meta.dir, '..', '..', 'README.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Of two formats curl takes the last: the status stands on a line of its own. */
const preamble = `curl() { command curl --max-time 20 "$@" -w '\\n%{http_code}\\n'; }\n`;

interface Pasted {
  readonly statuses: readonly number[];
  readonly last: unknown;
}

/** Runs scripts as one terminal would: variables of earlier ones stay. */
async function paste(scripts: readonly string[], script: string): Promise<Pasted> {
  const assignments = scripts.join('').match(/^[A-Z]+=.*$/gm) ?? [];
  const text = `${preamble}${assignments.join('\n')}\n${script}`;
  const shell = Bun.spawn(['bash', '-c', text], { cwd: home, stdout: 'pipe', stderr: 'pipe' });
  const output = await new Response(shell.stdout).text();
  expect([await shell.exited, await new Response(shell.stderr).text()]).toEqual([0, '']);
  const lines = output.trim().split('\n');
  return {
    statuses: lines.filter((line) => /^\d{3}$/.test(line)).map(Number),
    last: lines.length < 2 ? undefined : JSON.parse(lines.at(-2) as string),
  };
}

test.skipIf(Bun.which('curl') === null || Bun.which('bash') === null)('the tour', async () => {
  const flags = ['--storage-path', join(home, 'svc')];
  let server = await startServerProcess(flags);
  const here = readme.replaceAll('http://127.0.0.1:7237', server.url);
  const blocks = tourOf(here, 'Five minutes');
  const done: string[] = [];
  const statuses: number[][] = [];
  try {
    for (const { script, answer } of blocks) {
      const pasted = await paste(done, script);
      done.push(script);
      statuses.push([...pasted.statuses]);
      if (answer !== undefined) expect(pasted.last).toEqual(answer);
      if (script.startsWith('kill -9')) {
        expect(await server.exited).toBe(137);
        server = await startServerProcess([...flags, '--addr', `127.0.0.1:${server.port}`]);
      }
    }
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
  expect(statuses).toEqual([[200], [200, 200], [200], [200], [422], [200], [], [200]]);
  expect(blocks.filter(({ answer }) => answer !== undefined).length).toBe(5);
});
