/** `svc key`: what it sends, prints and refuses, against a real application and in a store without a server. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOfKey, idOfKey } from '#access';
import { systemWorld, type World } from '#base';
import { open } from '../engine/keys/support.ts';
import { startFakeServer } from '../s3/fake-server.ts';
import { databaseOver, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { answering, runWithin, type ShellOptions, shellFor } from './within.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-key-'));
let db: TestDatabase;
let server: ReturnType<typeof Bun.serve>;
const authorizations: (string | null)[] = [];

beforeAll(async () => {
  db = await openTestDatabase('direct', {
    tables: [{ id: 1, name: 'orders', columns: [{ id: 1, name: 'id', type: 'int64', pk: true }] }],
  } as never);
  const { send } = databaseOver(db.engine);
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      authorizations.push(request.headers.get('authorization'));
      const { pathname } = new URL(request.url);
      const body = await request.text();
      const headers = body === '' ? {} : { 'content-type': 'application/json' };
      const reply = await send(request.method, pathname, body === '' ? undefined : body, headers);
      return new Response(reply.text || null, { status: reply.status });
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  await db[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});
afterEach(() => void authorizations.splice(0));

async function run(argv: readonly string[], options: ShellOptions = {}) {
  const { shell, said } = shellFor(options);
  const ran = await runWithin(shell, ['key', ...argv]);
  return { ...ran, said };
}

const at = () => ['--database-url', `svc://127.0.0.1:${server.port}`];
const app = ['--name', 'app', '--scope', 'read,write', '--grant', 'orders:read,create'];

describe('a key', () => {
  test('is created, and only its text is on stdout', async () => {
    const { exitCode, stdout, said } = await run([
      ...['create', ...at(), ...app, '--claim', 'org=7', '--claim', 'who=a=b'],
      ...['--expires', '30d', '--limit', 'rate=5', '--limit', 'memory_mib=16'],
    ]);
    const id = idOfKey(stdout) as string;
    expect([exitCode, said]).toEqual([
      0,
      [`created key ${id} ("app"); its text is shown only now`],
    ]);
    expect(db.engine.keys.current.find(id)).toMatchObject({
      ...{ name: 'app', by: 'open', hash: hashOfKey(stdout), lifeMs: 30 * 86_400_000 },
      ...{ claims: { org: '7', who: 'a=b' }, limits: { rate: 5, memoryMib: 16 } },
    });
  });

  test('is listed, replaced and revoked', async () => {
    const made = JSON.parse((await run(['create', ...at(), ...app], { mode: 'json' })).stdout);
    const replaced = await run(['rotate', made.id, ...at(), '--grace', '1h']);
    const next = idOfKey(replaced.stdout);
    expect(replaced.said).toEqual([
      `created key ${next}, which replaces ${made.id}; its text is shown only now`,
    ]);
    const revoked = await run(['revoke', made.id, ...at()]);
    expect(revoked.stdout).toBe(`revoked key ${made.id}`);
    expect((await run(['revoke', made.id, ...at()])).exitCode).toBe(0);
    const { stdout } = await run(['list', ...at()]);
    const lines = stdout.split('\n');
    expect(lines[0]).toStartWith('ID            NAME  SCOPES      GRANTS              STATE');
    const own = (id: string) => lines.find((line) => line.startsWith(id))?.split(/ {2,}/);
    expect(own(made.id)?.slice(1, 5)).toEqual([
      'app',
      'read write',
      'orders:read,create',
      'revoked',
    ]);
    expect(own(next as string)?.[4]).toBe('live');
    expect(stdout).not.toContain(made.key);
    const json = await run(['list', ...at()], { mode: 'json' });
    expect(JSON.parse(json.stdout).keys.map((one: { id: string }) => one.id)).toContain(made.id);
  });

  test('that cannot be is refused with all reasons', async () => {
    const wrong = await run([
      'create',
      ...at(),
      '--name',
      'a',
      '--scope',
      'reed',
      '--grant',
      'x:read',
    ]);
    expect(wrong.trouble).toMatchObject({ exitCode: 1, code: 'invalid' });
    expect(wrong.trouble?.message).toContain('unknown scope "reed"');
    expect(wrong.trouble?.message).toContain('- unknown table "x"');
    for (const argv of [
      ['create', '--name', 'a'],
      ['create', '--scope', 'read'],
      ['create', ...app, '--claim', 'x'],
      ['create', ...app, '--claim', 'x=1', '--claim', 'x=2'],
      ['create', ...app, '--limit', 'speed=1'],
      ['create', ...app, '--limit', 'rate=0'],
      ['create', ...app, '--catalog-mode', 'schema'],
      ['create', ...app, '--storage-path', home, ...at()],
      ['create', ...app, '--storage', 'memory'],
      ['create', ...app, '--s3-bucket', 'b'],
      ['revoke', 'x'],
    ]) {
      expect([argv, (await run(argv)).exitCode]).toEqual([argv, 2]);
    }
  });

  test('in place of an id is not repeated', async () => {
    const { stdout: key } = await run(['generate']);
    expect(idOfKey(key)).toBeDefined();
    const { trouble } = await run(['revoke', key, ...at()]);
    expect(trouble?.exitCode).toBe(2);
    expect(JSON.stringify(trouble)).not.toContain(key);
  });

  test('is sent by every command, from a file or a variable', async () => {
    await run(['list', ...at()], { env: { SVC_ACCESS_TOKEN: 'abc' } });
    await run(['list', ...at()]);
    expect(authorizations).toEqual(['Bearer abc', null]);
  });

  test.each([
    [401, 'invalid_token', 'SVC_ACCESS_TOKEN'],
    [403, 'insufficient_scope', 'svc key create'],
  ])('that is refused with %d is exit code 8', async (status, reason, hint) => {
    const problem = { status, title: 'T', detail: 'D', code: 'c', reason };
    using other = answering({ 'GET /auth/keys': () => Response.json(problem, { status }) });
    const { trouble } = await run(['list', '--database-url', other.url]);
    expect(trouble).toMatchObject({ exitCode: 8, message: 'D' });
    expect(trouble?.hint).toContain(hint);
  });
});

describe('a store without a server', () => {
  test('is created, gets keys, and keeps its mode', async () => {
    const path = join(home, 'store');
    const first = ['create', '--name', 'root', '--scope', 'admin', '--storage-path', path];
    const { stdout } = await run([...first, '--catalog-mode', 'schema']);
    const again = await run(first, { mode: 'json' });
    expect(JSON.parse(again.stdout)).toMatchObject({ name: 'root', by: 'offline' });
    const engine = await open(path);
    expect(engine.mode).toBe('schema');
    expect(engine.keys.current.find(idOfKey(stdout) as string)?.hash).toEqual(hashOfKey(stdout));
    expect(engine.keys.current.size).toBe(2);
    // While a process has it open, the command refuses.
    const { trouble } = await run(first);
    expect(trouble).toMatchObject({ exitCode: 1, code: 'storage_locked' });
    await engine.close();
    expect((await run([...first, '--catalog-mode', 'direct'])).exitCode).toBe(1);
  });
});

describe('a bucket without a server', () => {
  /** The command watches for 4 s, which here pass at once, and `meanwhile` runs. */
  const watching = (meanwhile: () => void): World => {
    const world = systemWorld();
    const after: World['scheduler']['after'] = (ms, task) => {
      if (ms === 4_000) meanwhile();
      return world.scheduler.after(ms === 4_000 ? 0 : ms, task);
    };
    return { ...world, scheduler: { ...world.scheduler, after } };
  };
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const argv = (endpoint: string) => [
    ...['create', '--name', 'root', '--scope', 'admin', '--storage', 's3'],
    ...['--s3-bucket', 'bucket', '--s3-endpoint', endpoint],
  ];

  test('gets keys', async () => {
    await using fake = await startFakeServer();
    const options = { env, world: watching(() => {}), mode: 'json' } as const;
    const versions: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { stdout, trouble } = await run(argv(fake.endpoint), options);
      expect(trouble).toBeUndefined();
      versions.push(JSON.parse(stdout).id);
    }
    expect(new Set(versions).size).toBe(2);
  });

  test('to which a server writes is refused, and left as it is', async () => {
    await using fake = await startFakeServer();
    await run(argv(fake.endpoint), { env, world: watching(() => {}) });
    const mark = fake.objects.get('svc/runtime') as Uint8Array;
    for (const [name, body] of [
      ['svc/runtime', mark.slice()],
      ['svc/wal/9999999999999999', new Uint8Array(1)],
      ['svc/manifest/9999999999', new Uint8Array(1)],
    ] as const) {
      const before = new Map(fake.objects);
      const world = watching(() => void fake.objects.set(name, body));
      const { trouble } = await run(argv(fake.endpoint), { env, world });
      expect(trouble).toMatchObject({ exitCode: 1, code: 'store_in_use' });
      const changed = [...fake.objects].filter(([key, it]) => before.get(key) !== it);
      expect(changed.map(([key]) => key)).toEqual([name]);
      fake.objects.delete(name);
      if (name === 'svc/runtime') fake.objects.set(name, mark);
    }
  });
});
