/** A stranger follows the README: every block of its tour, pasted in order, answers what the README says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { tourOf } from './readme-blocks.ts';
import { program } from './run.ts';

const readme = readFileSync(join(import.meta.dir, '..', '..', 'README.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Of two formats curl takes the last: the status stands on a line of its own. */
const preamble = `curl() { command curl --max-time 20 "$@" -w '\\n%{http_code}\\n'; }
svc() { ${program.map((word) => `'${word}'`).join(' ')} "$@"; }
`;

interface Pasted {
  readonly statuses: readonly number[];
  readonly output: string;
  readonly last: unknown;
}

/** Runs scripts as one terminal would: variables and the directory of earlier ones stay. */
async function paste(scripts: readonly string[], script: string): Promise<Pasted> {
  const kept = scripts.join('').match(/^(?:[A-Z]+=|cd ).*$/gm) ?? [];
  const text = `set -e\n${preamble}${kept.join('\n')}\n${script}`;
  const shell = Bun.spawn(['bash', '-c', text], { cwd: home, stdout: 'pipe', stderr: 'pipe' });
  const output = await new Response(shell.stdout).text();
  const progress = await new Response(shell.stderr).text();
  expect([await shell.exited, progress.includes('error')], progress).toEqual([0, false]);
  const lines = output.trim().split('\n');
  return {
    output,
    statuses: lines.filter((line) => /^\d{3}$/.test(line)).map(Number),
    last: lines.at(-2)?.startsWith('{') ? JSON.parse(lines.at(-2) as string) : undefined,
  };
}

test.skipIf(Bun.which('curl') === null || Bun.which('bash') === null)(
  'the tour',
  async () => {
    const flags = ['--storage-path', join(home, 'shop/svc.data'), '--catalog-mode', 'schema'];
    let server = await startServerProcess(flags);
    const here = readme
      .replaceAll('http://127.0.0.1:7237', server.url)
      .replace('svc init shop', `svc init shop --database-url svc://127.0.0.1:${server.port}`);
    const [build, ...blocks] = tourOf(here, 'Five minutes');
    expect(build?.script).toBe('npm run build && export PATH="$PWD/dist:$PATH"\n');
    const done: string[] = [];
    const statuses: number[] = [];
    try {
      for (const { script, answer, text } of blocks) {
        const pasted = await paste(done, script);
        done.push(script);
        statuses.push(...pasted.statuses);
        if (answer !== undefined) expect(pasted.last).toEqual(answer);
        if (text !== undefined) expect(pasted.output).toBe(text);
        if (script.startsWith('kill -9')) {
          expect(await server.exited).toBe(137);
          server = await startServerProcess([...flags, '--addr', `127.0.0.1:${server.port}`]);
        }
      }
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
    expect(statuses).toEqual([200, 200, 422, 200, 200]);
    expect(blocks.filter(({ answer }) => answer !== undefined).length).toBe(4);
    expect(blocks.filter(({ text }) => text !== undefined).length).toBe(4);
  },
  120_000,
);
