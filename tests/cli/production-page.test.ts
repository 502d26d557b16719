/** docs/production.md: the unit's command line starts a server, and every block after it prints what the page says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { paste } from './paste.ts';
import { blocksOf } from './readme-blocks.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/production.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-production-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(Bun.which('curl') === null || Bun.which('bash') === null)(
  'the way',
  async () => {
    const [, line = ''] = /^ExecStart=\/usr\/local\/bin\/svc serve (.*)$/m.exec(page) ?? [];
    const flags = line.replace('/var/lib/svc', home).split(' ');
    expect(flags.slice(-2)).toEqual(['--log-format', 'json']);
    // The helper reads the address from the line that the structured log has no place for.
    const server = await startServerProcess(flags.slice(0, -2));
    const [user, ...blocks] = blocksOf(
      page.replaceAll('127.0.0.1:7237', `127.0.0.1:${server.port}`),
    );
    expect(user?.script).toBe('useradd --system --home-dir /var/lib/svc --create-home svc\n');
    const done: string[] = [];
    try {
      for (const { script, text } of blocks) {
        const { output } = await paste(home, done, script);
        done.push(script);
        expect(output.replace('\n200\n', '\n')).toBe(text as string);
      }
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
    expect(blocks).toHaveLength(2);
  },
  120_000,
);
