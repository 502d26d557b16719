/** Two colleagues follow docs/projects.md: every block prints what the page says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { paste } from './paste.ts';
import { blocksOf } from './readme-blocks.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/projects.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-projects-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(Bun.which('bash') === null)(
  'the tour',
  async () => {
    const server = await startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema']);
    const here = page.replace(
      'svc init anna --yes',
      `svc init anna --yes --database-url svc://127.0.0.1:${server.port}`,
    );
    const blocks = blocksOf(here);
    const done: string[] = [];
    try {
      for (const { script, text } of blocks) {
        const { output } = await paste(home, done, script);
        done.push(script);
        // The moment of a backup is another one each time.
        expect(output.replace(/\d{8}T\d{6}Z\.svc\.schema\.yaml/, '…')).toBe(text as string);
      }
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
    expect(blocks).toHaveLength(5);
  },
  120_000,
);
