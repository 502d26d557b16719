/** A stranger follows the README: every block of its tour, pasted in order, answers what the README says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paste } from './paste.ts';
import { tourOf } from './readme-blocks.ts';

const readme = readFileSync(join(import.meta.dir, '..', '..', 'README.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Nothing listens there now. */
async function freePort(): Promise<number> {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

/** A tour that broke off leaves its server behind the prompt. */
function endServer(): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(home, 'shop/svc.data/holder.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was stopped, or never started.
  }
}

test.skipIf(Bun.which('curl') === null || Bun.which('bash') === null)(
  'the tour',
  async () => {
    const port = await freePort();
    const here = readme
      .replaceAll('127.0.0.1:7237', `127.0.0.1:${port}`)
      .replace('svc init shop', `svc init shop --database-url svc://127.0.0.1:${port}`)
      .replaceAll('svc serve', `svc serve --addr 127.0.0.1:${port}`);
    const [build, ...blocks] = tourOf(here, 'Five minutes');
    expect(build?.script).toBe('npm run build && export PATH="$PWD/dist:$PATH"\n');
    const done: string[] = [];
    const statuses: number[] = [];
    try {
      for (const { script, answer, text } of blocks) {
        // A terminal shows both streams.
        const pasted = await paste(home, done, `exec 2>&1\n${script}`);
        done.push(script);
        if (answer === undefined) expect(pasted.output).not.toContain('error');
        // While the server starts, nothing answers, and then that it starts.
        statuses.push(...pasted.statuses.filter((status) => status !== 0 && status !== 503));
        if (answer !== undefined) expect(pasted.last).toEqual(answer);
        const output = pasted.output.replaceAll(/\n(?:000|503)\n/g, '').replace(/\n200\n\n?/, '\n');
        if (text !== undefined) expect(output).toBe(text);
      }
    } finally {
      endServer();
    }
    expect(statuses).toEqual([200, 200, 200]);
    expect(blocks.filter(({ answer }) => answer !== undefined).length).toBe(2);
    expect(blocks.filter(({ text }) => text !== undefined).length).toBe(2);
  },
  120_000,
);
