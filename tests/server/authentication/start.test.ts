/** A server that identifies its clients, from its start to its responses. */

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import { jwkOf, pairs, setOf, validToken } from '../../authentication/token/issuer.ts';
import { setPolicies } from '../../engine/policies/support.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { eventually, startTestServer, type TestServer } from '../test-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-auth-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { text: first } = drawKey(systemWorld().random);
const keyFile = join(directory, 'key');
writeFileSync(keyFile, `${first}\n`, { mode: 0o600 });
const keySetFile = join(directory, 'jwks.json');
await Bun.write(keySetFile, setOf(jwkOf(pairs.ES256)));

const keys = { auth: 'keys', 'auth-bootstrap-key-file': keyFile };
const issuer = 'https://issuer.example/';
const jwt = {
  auth: 'jwt',
  'auth-issuer': issuer,
  'auth-audience': 'https://db.example',
  'auth-jwks-file': keySetFile,
};

async function statusOf({ port }: TestServer, token?: string, path = '/tables'): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
}

describe('with keys', () => {
  test('the first key opens the server, nothing else does', async () => {
    await using started = await startTestServer(keys);
    await started.server.opened;
    expect(await statusOf(started, first)).toBe(200);
    expect(await statusOf(started)).toBe(401);
    expect(await statusOf(started, drawKey(systemWorld().random).text)).toBe(401);
    expect(await statusOf(started, undefined, '/livez')).toBe(200);
  });

  test('the first key is created once: another file later is without effect', async () => {
    const place = { 'storage-path': join(directory, 'once') };
    {
      await using started = await startTestServer({ ...keys, ...place });
      await started.server.opened;
    }
    const { text: second } = drawKey(systemWorld().random);
    const otherFile = join(directory, 'second');
    writeFileSync(otherFile, second, { mode: 0o600 });
    await using started = await startTestServer({
      ...keys,
      ...place,
      'auth-bootstrap-key-file': otherFile,
    });
    await started.server.opened;
    expect([await statusOf(started, first), await statusOf(started, second)]).toEqual([200, 401]);
  });

  test('other hosts than the allowed ones are refused, before the token is looked at; probes are not', async () => {
    await using started = await startTestServer({ ...keys, 'allowed-host': 'db.example' });
    await started.server.opened;
    const status = async (host: string, path: string, more = {}) => {
      const headers = { host, ...more };
      return (await fetch(`http://127.0.0.1:${started.port}${path}`, { headers })).status;
    };
    const own = { authorization: `Bearer ${first}` };
    expect(await status('db.example', '/tables', own)).toBe(200);
    expect(await status('db.example', '/tables')).toBe(401);
    for (const host of ['evil.example', '127.0.0.1'])
      expect([await status(host, '/tables', own), await status(host, '/tables')]).toEqual([
        403, 403,
      ]);
    expect(await status('10.0.0.1:7237', '/readyz')).toBe(200);
  });

  test('a file that other users can read, or without a key, is refused', async () => {
    const openFile = join(directory, 'open');
    writeFileSync(openFile, first);
    chmodSync(openFile, 0o644);
    const noKey = join(directory, 'none');
    writeFileSync(noKey, 'secret', { mode: 0o600 });
    for (const [path, text] of [
      [openFile, 'other users cannot read'],
      [noKey, 'svc key generate'],
      [join(directory, 'missing'), 'can be read'],
    ] as const) {
      await using started = await startTestServer({ ...keys, 'auth-bootstrap-key-file': path });
      expect(await outcomeOf(started.server.opened)).toThrow(text);
    }
  });

  test('a server that nobody could log in to does not start', async () => {
    await using started = await startTestServer({ auth: 'keys' });
    expect(await outcomeOf(started.server.opened)).toThrow('no client could log in');
  });

  test('a store with keys opens without authentication only if that is said', async () => {
    const place = { 'storage-path': join(directory, 'said') };
    {
      await using started = await startTestServer({ ...keys, ...place });
      await started.server.opened;
    }
    {
      await using started = await startTestServer(place);
      expect(await outcomeOf(started.server.opened)).toThrow('add --auth keys or --auth none');
    }
    await using started = await startTestServer({ ...place, auth: 'none' });
    await started.server.opened;
    expect(await statusOf(started)).toBe(200);
  });
});

test('a store with row policies opens without authentication only if that is said', async () => {
  const place = { 'storage-path': join(directory, 'policies') };
  {
    await using started = await startTestServer(place);
    await started.server.opened;
    const engine = await started.server['engine'];
    await setPolicies(engine, { claims: [], tables: [] });
    // A server that is running stays open, and its clients are not restricted.
    const statistics = await fetch(`http://127.0.0.1:${started.port}/statistics`);
    expect(statistics.status).toBe(200);
  }
  for (const [flags, refusal] of [
    [{}, 'the database has row policies, and without --auth'],
    [{ auth: 'none' }, undefined],
    [keys, undefined],
  ] as const) {
    await using started = await startTestServer({ ...place, ...flags });
    const opening = outcomeOf(started.server.opened);
    if (refusal === undefined) await started.server.opened;
    else expect(await opening).toThrow(refusal);
  }
});

describe('keys that a client without authentication has created', () => {
  test('are named in a warning when the server starts with authentication', async () => {
    const place = { 'storage-path': join(directory, 'left') };
    const made: string[] = [];
    {
      await using started = await startTestServer(place);
      await started.server.opened;
      for (const name of ['left', 'gone']) {
        const response = await fetch(`http://127.0.0.1:${started.port}/auth/keys`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name, scopes: ['admin'] }),
        });
        made.push(((await response.json()) as { id: string }).id);
      }
      const gone = `http://127.0.0.1:${started.port}/auth/keys/${made[1]}`;
      expect((await fetch(gone, { method: 'DELETE' })).status).toBe(204);
    }
    await using started = await startTestServer({ ...place, auth: 'keys' });
    await started.server.opened;
    const told = started.events.filter(({ event }) => event === 'auth.open_keys');
    expect(told.map(({ fields }) => [fields?.keys, fields?.ids])).toEqual([[1, made[0]]]);
    {
      await using other = await startTestServer(keys);
      await other.server.opened;
      expect(other.events.some(({ event }) => event === 'auth.open_keys')).toBe(false);
    }
  });
});

describe('with tokens', () => {
  test('a token of the issuer opens what its scopes say', async () => {
    await using started = await startTestServer(jwt);
    await started.server.opened;
    const nowSeconds = Math.floor(started.world.clock.unixMs() / 1000);
    const times = { iat: nowSeconds, exp: nowSeconds + 600 };
    const token = (scope: string) => validToken('ES256', { ...times, scope });
    expect(await statusOf(started, token('svc:read'))).toBe(200);
    expect(await statusOf(started, token('svc:metrics'))).toBe(403);
    expect(await statusOf(started, token('svc:read'), '/metrics')).toBe(403);
    expect(await statusOf(started, validToken('RS256', { ...times, scope: 'svc:read' }))).toBe(401);
    expect(await statusOf(started, first)).toBe(401);
  });

  test('a key set that cannot be read is reported, and its tokens wait', async () => {
    const missing = { 'auth-jwks-file': join(directory, 'missing.json') };
    await using started = await startTestServer({ ...jwt, ...missing });
    await started.server.opened;
    const events = started.events.map(({ event }) => event);
    expect(events).toContain('auth.jwks_refresh_failed');
    const nowSeconds = Math.floor(started.world.clock.unixMs() / 1000);
    const times = { iat: nowSeconds, exp: nowSeconds + 600 };
    expect(await statusOf(started, validToken('ES256', times))).toBe(503);
  });
});

describe('files that other users can access', () => {
  test('a key set that they can write is refused, at the start and later', async () => {
    const path = join(directory, 'writable.json');
    await Bun.write(path, setOf(jwkOf(pairs.ES256)));
    chmodSync(path, 0o602);
    {
      await using started = await startTestServer({ ...jwt, 'auth-jwks-file': path });
      expect(await outcomeOf(started.server.opened)).toThrow('chmod o-w');
    }
    chmodSync(path, 0o644);
    await using started = await startTestServer({ ...jwt, 'auth-jwks-file': path });
    await started.server.opened;
    chmodSync(path, 0o666);
    const failed = () => started.events.find(({ event }) => event === 'auth.jwks_refresh_failed');
    await eventually(
      () => failed() !== undefined,
      () => started.world.advance(1000),
    );
    expect(failed()?.fields).toMatchObject({
      error: expect.stringContaining('chmod o-w'),
      keys_remain: true,
    });
  });
});
