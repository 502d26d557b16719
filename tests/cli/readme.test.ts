/** A stranger follows the README: every block of its tour, pasted in order, answers what the README says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { paste } from './paste.ts';
import { tourOf } from './readme-blocks.ts';

const readme = readFileSync(join(import.meta.dir, '..', '..', 'README.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

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
        const pasted = await paste(home, done, script);
        done.push(script);
        expect(pasted.stderr).not.toContain('error');
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
