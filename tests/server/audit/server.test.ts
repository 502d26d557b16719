/** The audit log of a server, from its start to its end. */

import { afterEach, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import { startTestServer, type TestServer } from '../test-server.ts';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  directories.push(directory);
  return directory;
}

const linesIn = (path: string) => {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
};

async function send({ port }: TestServer, method: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await fetch(`http://127.0.0.1:${port}/tables`, init)).status;
}

test('the file has the failures and changes of a server with API keys', async () => {
  const directory = newDirectory();
  const { id, text } = drawKey(systemWorld().random);
  await Bun.write(join(directory, 'key'), text);
  chmodSync(join(directory, 'key'), 0o600);
  const path = join(directory, 'audit.log');
  {
    await using started = await startTestServer({
      auth: 'keys',
      'auth-bootstrap-key-file': join(directory, 'key'),
      'audit-log': path,
    });
    await started.server.opened;
    for (let i = 0; i < 3; i++) expect(await send(started, 'GET', 'wrong')).toBe(401);
    const columns = [{ name: 'id', type: 'int64' }];
    const table = { name: 't', columns, primary_key: ['id'] };
    expect(await send(started, 'POST', text, table)).toBe(200);
  }
  const key = { kind: 'key', id };
  expect(linesIn(path)).toMatchObject([
    { event: 'auth.failed', address: '127.0.0.1', reason: 'form', count: 1 },
    { event: 'schema.changed', principal: key, address: '127.0.0.1', outcome: 'begun' },
    { event: 'schema.changed', principal: key, endpoint: 'POST /tables', outcome: 'succeeded' },
    { event: 'auth.failed', count: 2 },
  ]);
  expect(readFileSync(path, 'utf8')).not.toContain(text.slice(-40));
});

test('a hangup opens the file again, and does not stop the server', async () => {
  const directory = newDirectory();
  const path = join(directory, 'audit.log');
  await using started = await startTestServer({ 'audit-log': path, 'audit-level': 'all' });
  await started.server.opened;
  renameSync(path, `${path}.old`);
  expect(started.server.reload()).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('');
  renameSync(directory, `${directory}.gone`);
  directories.push(`${directory}.gone`);
  expect(started.server.reload()).toBe(true);
  expect(started.events.at(-1)?.event).toBe('audit.reopen_failed');
  renameSync(`${directory}.gone`, directory);
  directories.pop();
});

test('a server without an audit log and certificates does not reload', async () => {
  await using started = await startTestServer();
  await started.server.opened;
  expect(started.server.reload()).toBe(false);
});
