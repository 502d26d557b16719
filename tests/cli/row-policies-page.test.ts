/** docs/row-policies.md: every block, in order, prints what the page shows. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paste } from './paste.ts';
import { blocksOf } from './readme-blocks.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/row-policies.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-row-policies-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Nothing listens there now. */
function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

function endServer(): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(home, 'data/holder.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was never started.
  }
}

test.skipIf(Bun.which('curl') === null)(
  'the way',
  async () => {
    const port = freePort();
    const blocks = blocksOf(
      page
        .replaceAll('127.0.0.1:7237', `127.0.0.1:${port}`)
        .replaceAll('svc serve', `svc serve --addr 127.0.0.1:${port}`)
        .replace('--yes', `--yes --database-url svc://127.0.0.1:${port}`),
    );
    const done: string[] = [];
    try {
      for (const { script, text } of blocks) {
        const { output } = await paste(home, done, script);
        done.push(script);
        expect(output.replace(/^\d{3}\n/gm, '').trim()).toBe(text?.trim() ?? '');
      }
    } finally {
      endServer();
    }
    expect(blocks).toHaveLength(6);
  },
  60_000,
);
