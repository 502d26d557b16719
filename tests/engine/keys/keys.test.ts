/** API keys of a database: created, listed, rotated, revoked, and noted when they are used. */

import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiKey, anyone, drawKey, hashOfKey, idOfKey, keysMax, noKeys } from '#access';
import { systemWorld } from '#base';
import { apiKeyKey, identityKey, keysHeadKey, keyUseKey } from '#catalog';
import type { Engine } from '#engine';
import { keyOf } from '../../access/support.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { rejection } from '../../support/outcome.ts';
import { failureOf, makeTable, open } from './support.ts';

const day = 86_400_000;
const hour = 3_600_000;
const engines: Engine[] = [];
const folders: string[] = [];
const never = new AbortController().signal;

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-keys-'));
  folders.push(path);
  return path;
}

async function opened(...given: Parameters<typeof open>): Promise<Engine> {
  const engine = await open(...given);
  engines.push(engine);
  return engine;
}

async function close(engine: Engine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.close();
}

const admin = { name: 'root', scopes: ['admin'] };
const app = { name: 'app', scopes: ['read', 'write'], grants: ['t:read,create'] };

describe('keys', () => {
  test('are created with a text that is shown once, and stored as its hash', async () => {
    const world = manualWorld();
    const engine = await opened('', { world });
    await makeTable(engine);
    const nowMs = world.clock.unixMs();
    const created = await engine.keys.create({ ...app, expires_in: '30d' }, 'open', anyone);
    expect(idOfKey(created.key)).toBe(created.id);
    const { key: text, ...info } = created;
    expect(info).toEqual({
      ...{ id: created.id, name: 'app', scopes: ['read', 'write'], grants: ['t:read,create'] },
      ...{ claims: {}, policies: 'enforce', limits: {}, by: 'open' },
      created_at: new Date(nowMs).toISOString(),
      expires_at: new Date(nowMs + 30 * day).toISOString(),
    });
    expect(await engine.keys.list()).toEqual({ auth_version: 1, keys: [info] });
    expect(engine.keys.current.find(created.id)?.hash).toEqual(hashOfKey(text));
    const refused = await failureOf(
      engine.keys.create({ ...app, grants: ['x:read'] }, 'open', anyone),
    );
    expect([refused.reason, refused.location?.pointer]).toEqual(['unknown_table', '/grants/0']);
    expect(engine.keys.current.version).toBe(1);
  });

  test('follow renamed tables, and lose deleted ones', async () => {
    const engine = await opened('');
    await makeTable(engine);
    const { id } = await engine.keys.create(app, 'open', anyone);
    const grants = async () => (await engine.keys.list()).keys[0]?.grants;
    await engine.changeCatalog(() => ({ kind: 'rename_table', table_id: 1, to: 'u' }));
    expect(await grants()).toEqual(['u:read,create']);
    await engine.changeCatalog(() => ({ kind: 'delete_table', table_id: 1 }));
    expect(await grants()).toEqual([]);
    await makeTable(engine);
    expect(await grants()).toEqual([]);
    expect(engine.keys.current.find(id)?.grants).toHaveLength(1);
  });

  test('are revoked at once and once, and unknown ones are not found', async () => {
    const world = manualWorld();
    const engine = await opened('', { world });
    const { id, key } = await engine.keys.create(
      app.grants && { ...app, grants: [] },
      'open',
      anyone,
    );
    await engine.keys.revoke(id, anyone);
    const { revokedAtMs } = engine.keys.current.find(id) ?? {};
    expect([revokedAtMs, engine.keys.current.version]).toEqual([world.clock.unixMs(), 2]);
    world.advance(1000);
    await engine.keys.revoke(id, anyone);
    expect(engine.keys.current.find(id)?.revokedAtMs).toBe(revokedAtMs as number);
    expect(engine.keys.current.version).toBe(2);
    const unknown = drawKey(world.random).id;
    expect(await failureOf(engine.keys.revoke(unknown, anyone))).toMatchObject({
      ...{ reason: 'not_found', detail: `unknown key ${unknown}` },
      resource: { kind: 'key', name: unknown },
    });
    // A whole key in place of an id is not repeated.
    for (const work of [engine.keys.revoke(key, anyone), engine.keys.rotate(key, 'open', anyone)]) {
      expect(JSON.stringify(await failureOf(work))).not.toContain(key.slice(20));
    }
  });

  test('the last live admin stays, unless others can be admins', async () => {
    const world = manualWorld();
    const engine = await opened('', { world });
    const one = await engine.keys.create({ ...admin, expires_in: '1h' }, 'open', anyone);
    const two = await engine.keys.create(admin, 'open', anyone);
    const reader = await engine.keys.create({ ...app, grants: [] }, 'open', anyone);
    world.advance(hour);
    const { detail } = await failureOf(engine.keys.revoke(two.id, anyone));
    expect(detail).toContain(`key ${two.id} is the last live key with the scope admin`);
    await engine.keys.revoke(one.id, anyone);
    await engine.keys.revoke(reader.id, anyone);
    expect(engine.keys.current.hasLiveAdmin(world.clock.unixMs())).toBe(true);
    await engine.keys.revoke(two.id, anyone, { hasOtherAdmins: true });
    expect(engine.keys.current.hasLiveAdmin(world.clock.unixMs())).toBe(false);
  });

  test('two revocations of both admins at the same time leave one', async () => {
    const engine = await opened('');
    const ids = [
      await engine.keys.create(admin, 'open', anyone),
      await engine.keys.create(admin, 'open', anyone),
    ];
    const ends = await Promise.allSettled(ids.map(({ id }) => engine.keys.revoke(id, anyone)));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('are changed by at most 64 requests at the same time', async () => {
    const engine = await opened('');
    const id = (await engine.keys.create(admin, 'open', anyone)).id;
    const changes = Array.from({ length: 65 }, () => engine.keys.create(admin, 'open', anyone));
    const late = await failureOf(engine.keys.revoke(id, anyone));
    const ends = await Promise.allSettled(changes);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
    expect([late.reason, late.retryAfterSeconds]).toEqual(['overloaded', 1]);
    await engine.keys.create(admin, 'open', anyone);
    expect(engine.keys.current.version).toBe(66);
  });

  test('are rotated into keys with equal rights, and end after the grace', async () => {
    const world = manualWorld();
    const engine = await opened('', { world });
    await makeTable(engine);
    const old = await engine.keys.create(
      { ...app, expires_in: '10d', limits: { rate: 3 } },
      'a',
      anyone,
    );
    world.advance(day);
    const nowMs = world.clock.unixMs();
    const made = await engine.keys.rotate(old.id, 'b', anyone, hour);
    const at = (ms: number) => new Date(ms).toISOString();
    const { key: oldText, ...before } = old;
    const { key: newText, ...after } = made;
    expect(newText).not.toBe(oldText);
    expect(after).toEqual({
      ...{ ...before, id: made.id, by: 'b', replaces: old.id },
      ...{ created_at: at(nowMs), expires_at: at(nowMs + 10 * day) },
    });
    const keys = engine.keys.current;
    expect([keys.isLive(old.id, nowMs + hour - 1), keys.isLive(old.id, nowMs + hour)]).toEqual([
      ...[true, false],
    ]);
    // The time of the life is that of the creation, not what the grace has left of it.
    const again = await engine.keys.rotate(old.id, 'b', anyone, 30 * day);
    expect(again.expires_at).toBe(at(nowMs + 10 * day));
    expect(engine.keys.current.find(old.id)?.expiresAtMs).toBe(nowMs + hour);
    world.advance(hour);
    expect((await failureOf(engine.keys.rotate(old.id, 'b', anyone))).detail).toContain(
      'has expired',
    );
    await engine.keys.revoke(made.id, anyone);
    const revived = await failureOf(engine.keys.rotate(made.id, 'b', anyone));
    expect([revived.reason, revived.detail]).toEqual([
      'invalid',
      `key ${made.id} was revoked; create another key instead`,
    ]);
    const forever = await engine.keys.create({ ...admin, expires_in: 'never' }, 'a', anyone);
    expect(forever).not.toHaveProperty('expires_at');
    expect(await engine.keys.rotate(forever.id, 'a', anyone)).not.toHaveProperty('expires_at');
  });

  test('a bootstrap key is created once, if none ever existed', async () => {
    const engine = await opened('');
    const { id, text } = drawKey(systemWorld().random);
    const other = drawKey(systemWorld().random);
    expect((await failureOf(engine.keys.bootstrap(`${text}x`))).detail).not.toContain(text);
    expect(await engine.keys.bootstrap(text)).toBe(true);
    expect(engine.keys.current.find(id)).toMatchObject({
      ...{ scopes: new Set(['admin']), by: 'bootstrap', hash: hashOfKey(text) },
    });
    expect(await engine.keys.bootstrap(text)).toBe(false);
    expect(await engine.keys.bootstrap(other.text)).toBe(false);
    await engine.keys.revoke(id, anyone, { hasOtherAdmins: true });
    expect(await engine.keys.bootstrap(other.text)).toBe(false);
    expect(engine.keys.current.size).toBe(1);
  });

  test('at the maximum, a new key takes the place of the one that ended first', async () => {
    const world = manualWorld();
    const engine = await opened('', { world });
    const rights = { ...admin, scopes: ['read'] };
    const keys = Array.from({ length: keysMax }, (_, i) => {
      const ends = i === 0 ? { expiresAtMs: world.clock.unixMs() + 2 * day } : {};
      return keyOf(i + 1, ends);
    });
    engine['database'].keys = noKeys.next(keys).keys;
    const full = await failureOf(engine.keys.create(rights, 'open', anyone));
    expect(full.detail).toContain('10000 live keys, the maximum; revoke some');
    const [first, second] = keys as [ApiKey, ApiKey];
    engine.keys.noteUse(second.id);
    await engine.keys.stop();
    world.advance(day);
    await engine.keys.revoke(second.id, anyone);
    world.advance(2 * day);
    const made = await engine.keys.create(rights, 'open', anyone);
    expect(engine.keys.current.size).toBe(keysMax);
    const known = [second, first, made].map(({ id }) => engine.keys.current.find(id) !== undefined);
    expect(known).toEqual([false, true, true]);
    const view = engine['database'].store.snapshot();
    expect([view.get(apiKeyKey(second.id)), view.get(keyUseKey(second.id))]).toEqual([
      ...[undefined, undefined],
    ]);
    view.release();
  });
});

describe('the last use of a key', () => {
  const used = async (engine: Engine) =>
    (await engine.keys.list()).keys.map(({ last_used_at }) => last_used_at);

  test('is written hourly at most, and is no new version', async () => {
    const path = folder();
    const world = manualWorld();
    const engine = await opened(path, { world });
    const { id } = await engine.keys.create(admin, 'open', anyone);
    expect(await used(engine)).toEqual([undefined]);
    const stored = () => {
      const view = engine['database'].store.snapshot();
      const bytes = view.get(keyUseKey(id));
      view.release();
      return bytes instanceof Uint8Array
        ? Number(new DataView(bytes.slice().buffer).getBigUint64(0, true))
        : undefined;
    };
    const first = world.clock.unixMs();
    engine.keys.noteUse(id);
    await engine.keys.stop();
    expect(stored()).toBe(first);
    world.advance(hour - 1);
    engine.keys.noteUse(id);
    await engine.keys.stop();
    expect(stored()).toBe(first);
    expect(await used(engine)).toEqual([new Date(first).toISOString()]);
    // Another process continues the hour.
    await close(engine);
    const again = await opened(path, { world });
    again.keys.noteUse(id);
    await again.keys.stop();
    expect(await used(again)).toEqual([new Date(first).toISOString()]);
    world.advance(1);
    again.keys.noteUse(id);
    world.advance(10_000);
    await again.keys.stop();
    expect(await used(again)).toEqual([new Date(first + hour).toISOString()]);
    expect(again.keys.current.version).toBe(1);
  });

  test('of a key that does not exist is not written', async () => {
    const engine = await opened('');
    engine.keys.noteUse('0'.repeat(12));
    await engine.keys.stop();
    const view = engine['database'].store.snapshot();
    expect(view.get(keyUseKey('0'.repeat(12)))).toBeUndefined();
    view.release();
  });
});

describe('a database with keys', () => {
  test('has them again when it is opened again, and in the same version', async () => {
    const path = folder();
    const engine = await opened(path);
    await makeTable(engine);
    const one = await engine.keys.create(admin, 'open', anyone);
    const two = await engine.keys.create(app, one.id, anyone);
    await engine.keys.revoke(two.id, anyone);
    const before = await engine.keys.list();
    await close(engine);
    const found = await opened(path);
    expect(await found.keys.list()).toEqual(before);
    await found.keys.create(admin, one.id, anyone);
    expect(found.keys.current.version).toBe(4);
  });

  test('contains no secret in any of its files, and the id and the hash of each key', async () => {
    const path = folder();
    const engine = await opened(path, { tuning: { memtableBytes: 1 } });
    const made = await engine.keys.create(admin, 'open', anyone);
    const rotated = await engine.keys.rotate(made.id, 'open', anyone);
    const { text } = drawKey(systemWorld().random);
    await engine.keys.bootstrap(text);
    await engine.keys.revoke(made.id, anyone);
    engine.keys.noteUse(rotated.id);
    await close(engine);
    const files = readdirSync(path, { recursive: true, withFileTypes: true });
    const bytes = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
      .join('\n');
    for (const key of [made.key, rotated.key]) {
      expect(bytes).toContain(key.slice(5, 17));
      expect(bytes).toContain(hashOfKey(key).toHex());
      expect(bytes).not.toContain(key.slice(18, 30));
    }
    expect(bytes).not.toContain('svck_');
  });

  test('is refused by programs that do not know keys, from the first key on', async () => {
    const path = folder();
    const engine = await opened(path);
    await makeTable(engine);
    const format = () => {
      const view = engine['database'].store.snapshot();
      const [first] = view.get(identityKey) as Uint8Array;
      view.release();
      return first;
    };
    // A program without keys supports format 1 of this record only.
    expect(format()).toBe(1);
    await engine.keys.create(admin, 'open', anyone);
    expect(format()).toBe(2);
  });

  type Damage = (record: (key: Uint8Array) => Uint8Array, id: string) => Write;
  type Write = readonly [key: Uint8Array, value?: Uint8Array];
  const damages: Readonly<Record<string, Damage>> = {
    'their head is missing': () => [keysHeadKey],
    '2 records were written, 1 were found': (_, id) => [apiKeyKey(id)],
    'an API key cannot be read: its checksum is wrong': (record, id) => [
      apiKeyKey(id),
      record(apiKeyKey(id)).with(20, 0),
    ],
    'its format is 2, this version supports format 1': (record, id) => [
      apiKeyKey(id),
      record(apiKeyKey(id)).with(0, 2),
    ],
  };

  test.each(Object.keys(damages))('of which one is damaged is not opened: %s', async (trouble) => {
    const path = folder();
    const engine = await open(path);
    const { id } = await engine.keys.create(admin, 'open', anyone);
    await engine.keys.create(admin, 'open', anyone);
    const transaction = engine['database'].store.begin();
    const record = (key: Uint8Array) => (transaction.get(key) as Uint8Array).slice();
    const [key, value] = (damages[trouble] as Damage)(record, id);
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
    await transaction.commit();
    transaction.release();
    await engine.close();
    const { reason, detail } = await failureOf(open(path));
    expect([reason, detail]).toEqual(['catalog_corrupt', expect.stringContaining(trouble)]);
  });

  test('whose keys are in a damaged table is not opened, and does not lose them', async () => {
    const path = folder();
    const engine = await open(path, { tuning: { memtableBytes: 1 } });
    await engine.keys.create(admin, 'open', anyone);
    // A few flushes may have begun before the key was created.
    const flushes = () => engine.storeStatistics().flush.flushes;
    const enough = flushes() + 6;
    for (let i = 0; flushes() < enough; i++) {
      await makeTable(engine, `t${i}`);
      await systemWorld().scheduler.yield();
    }
    await engine.close();
    for (const file of readdirSync(join(path, 'sst'))) {
      const name = join(path, 'sst', file);
      const bytes = readFileSync(name);
      writeFileSync(
        name,
        bytes.map((byte, i) => (i < bytes.length / 2 ? byte ^ 1 : byte)),
      );
    }
    expect(String(await rejection(open(path)))).toContain('sst/');
  });
});

describe('a reader', () => {
  test('answers no requests after a minute without the newest state', async () => {
    const path = folder();
    const writer = await opened(path);
    await makeTable(writer);
    await writer.keys.create(app, 'open', anyone);
    const world = systemWorld();
    let aheadMs = 0;
    const clock = {
      unixMs: () => world.clock.unixMs(),
      monotonicMs: () => world.clock.monotonicMs() + aheadMs,
    };
    const reading = { pollMs: 1, signal: never, waiting: () => {} };
    const reader = await opened(path, { reading, world: { ...world, clock } });
    const { store } = reader['database'] as unknown as {
      store: { newestAtMs: number; refresh(): Promise<boolean>; observe(): Promise<unknown> };
    };
    writer.requireFreshKeys();
    reader.requireFreshKeys();
    // Without its pins, a reader finds newer states, but cannot move to them.
    const pins = join(path, 'pin');
    renameSync(pins, `${pins}-gone`);
    writeFileSync(pins, '');
    await writer.keys.create(app, 'open', anyone);
    const until = async (isSo: () => Promise<boolean>) => {
      while (!(await isSo())) await world.scheduler.yield();
    };
    const isMoved = () =>
      store.refresh().then(
        () => true,
        () => false,
      );
    await until(async () => !(await isMoved()));
    aheadMs = store.newestAtMs + 59_000 - world.clock.monotonicMs();
    reader.requireFreshKeys();
    aheadMs += 2000;
    await store.observe();
    expect(await failureOf((async () => reader.requireFreshKeys())())).toMatchObject({
      ...{ reason: 'storage_unavailable', status: 503 },
    });
    rmSync(pins);
    renameSync(`${pins}-gone`, pins);
    await until(isMoved);
    reader.requireFreshKeys();
  });

  test('moves to keys and catalog of one state together', async () => {
    const path = folder();
    const writer = await opened(path);
    await makeTable(writer);
    const { id } = await writer.keys.create(app, 'open', anyone);
    const reading = { pollMs: 1, signal: never, waiting: () => {} };
    const reader = await opened(path, { reading });
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await systemWorld().scheduler.yield();
    };
    await until(() => reader.keys.current.isLive(id, 0));
    expect(reader.keys.current.version).toBe(1);
    await writer.keys.revoke(id, anyone);
    await until(() => !reader.keys.current.isLive(id, 0));
    expect([...reader.keys.current.keys()]).toEqual([...writer.keys.current.keys()]);
    // With each state the reader has the keys that the writer had at its catalog.
    const known = new Map([[writer.catalog.version, writer.keys.current.version]]);
    const seen: string[] = [];
    reader['database'].catalogListeners.add(() => {
      seen.push(`${reader.catalog.version} ${reader.keys.current.version}`);
    });
    for (let i = 0; i < 8; i++) {
      await writer.keys.create(app, 'open', anyone);
      await writer.changeCatalog(() => ({
        kind: 'rename_table',
        table_id: 1,
        to: i % 2 === 0 ? 'u' : 't',
      }));
      known.set(writer.catalog.version, writer.keys.current.version);
      if (i % 2 === 0) app.grants[0] = 'u:read,create';
      else app.grants[0] = 't:read,create';
    }
    await until(
      () =>
        reader.keys.current.version === writer.keys.current.version &&
        reader.catalog.version === writer.catalog.version,
    );
    const states = new Set(
      [...known].flatMap(([catalog, keys]) => [`${catalog} ${keys}`, `${catalog} ${keys + 1}`]),
    );
    expect(seen.filter((state) => !states.has(state))).toEqual([]);
    expect(await failureOf(reader.keys.create({ ...admin }, 'open', anyone))).toMatchObject({
      reason: 'read_only',
    });
    reader.keys.noteUse(id);
  });
});
