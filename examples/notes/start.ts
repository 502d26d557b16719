/** `npm run example:notes`: a server with keys and row policies, two users, and the page of each. Ctrl-C ends all of it. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import page from './src/index.html';

const here = import.meta.dir;
const svc = [process.execPath, 'run', join(here, '../../src/main.ts')];
const store = mkdtempSync(join(tmpdir(), 'svc-notes-'));
process.on('exit', () => rmSync(store, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

// This server contains the files of the page, and neither keys nor notes.
const files = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3001),
  development: false,
  routes: { '/': page },
});
const admin = keyOfAdmin();
const url = await databaseUrl();
await migrate();
for (const user of ['ada', 'bob']) {
  const { key } = await ask<{ key: string }>('POST', '/auth/keys', {
    name: user,
    scopes: ['read', 'write'],
    claims: { sub: user },
  });
  const facts = new URLSearchParams({ user, database: url, key });
  console.log(`the notes of ${user} are at ${files.url}#${facts}`);
}

/** Creates the first key in the store, before a server opens it. */
function keyOfAdmin(): string {
  const flags = ['--name', 'admin', '--scope', 'admin', '--storage-path', store];
  const { stdout, stderr, success } = Bun.spawnSync([...svc, 'key', 'create', ...flags]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString().trim();
}

/** Starts the database, which accepts requests of the page, and returns its address. */
async function databaseUrl(): Promise<string> {
  const address = process.env['SVC_ADDR'] ?? '127.0.0.1:7249';
  const flags = ['--addr', address, '--storage-path', store, '--auth', 'keys'];
  const origin = ['--cors-origin', files.url.origin];
  const database = Bun.spawn([...svc, 'serve', ...flags, ...origin], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  process.on('exit', () => database.kill());
  let said = '';
  const decoder = new TextDecoder();
  for await (const bytes of database.stdout) {
    said += decoder.decode(bytes, { stream: true });
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error('the database does not start');
}

async function migrate(): Promise<void> {
  const schema = readFileSync(join(here, 'svc.schema.yaml'), 'utf8');
  const { current_version, current_hash } = await ask<Record<string, unknown>>(
    'POST',
    '/schema/diff',
    { schema },
  );
  await ask('POST', '/schema/migrate', { schema, current_version, current_hash });
}

async function ask<Answer>(method: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}
