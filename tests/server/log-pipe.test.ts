/** A log that nobody reads, of a real process. */

import { expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRawClient } from '../support/raw-client.ts';

const main = join(import.meta.dir, '..', '..', 'src', 'main.ts');
const request = 'GET /info HTTP/1.1\r\nhost: localhost\r\n\r\n';

test('a server whose log nobody reads goes on answering, and ends', async () => {
  const flags = ['serve', '--addr', '127.0.0.1:0', '--storage', 'memory', '--log-level', 'debug'];
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'));
  const pipe = join(directory, 'log');
  Bun.spawnSync(['mkfifo', pipe]);
  // Open for both, so that the opening waits for nobody; nothing is ever read.
  const log = openSync(pipe, 'r+');
  const child = Bun.spawn([process.execPath, 'run', main, ...flags], {
    stdout: 'pipe',
    stderr: log,
  });
  const banner = await child.stdout.getReader().read();
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(new TextDecoder().decode(banner.value))?.[1]);
  const client = await openRawClient(port);
  let answers = 0;
  // Three times what a pipe holds.
  for (let i = 0; i < 2000; i++) {
    client.send(request);
    const received = await client.until('"location"');
    answers += received.includes('"location"') ? 1 : 0;
    client.forget();
  }
  expect(answers).toBe(2000);
  client.end();
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  closeSync(log);
  rmSync(directory, { recursive: true });
});
