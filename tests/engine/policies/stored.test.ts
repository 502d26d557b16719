/** Row policies of a database: they are stored with the catalog, and a plan made under others is never used. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyone } from '#access';
import { systemWorld } from '#base';
import {
  catalogKey,
  decodeIdentity,
  identityKey,
  policyHash,
  revisionRange,
  schemaHash,
} from '#catalog';
import type { Engine } from '#engine';
import { eachEntry } from '#storage';
import { encodeFrame } from '../../../src/catalog/stored/frame.ts';
import { keyPrincipal } from '../../support/principals.ts';
import { creates, failureOf, makeTable, numbersIn, open } from '../keys/support.ts';
import { readsOwn, setPolicies } from './support.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-policies-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = () => join(root, `${folders++}`);

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened(...parts: Parameters<typeof open>): Promise<Engine> {
  const engine = await open(...parts);
  engines.push(engine);
  return engine;
}

function needsOf(engine: Engine): readonly string[] {
  const view = engine['database'].store.snapshot();
  const { needs = [] } = decodeIdentity(view.get(identityKey) as Uint8Array);
  view.release();
  return needs;
}

async function revisionsOf(engine: Engine): Promise<number> {
  const view = engine['database'].store.snapshot();
  let count = 0;
  await eachEntry(view, revisionRange, () => {
    count++;
    return true;
  });
  view.release();
  return count;
}

const admin = { name: 'a', scopes: ['admin'], expires_in: 'never' } as const;

describe('policies', () => {
  test('are stored with the catalog, and make no version of the schema', async () => {
    const path = folder();
    const engine = await open(path);
    await makeTable(engine);
    const before = engine.catalog;
    const revisions = await revisionsOf(engine);
    expect(needsOf(engine)).toEqual([]);
    await setPolicies(engine, readsOwn());
    const { catalog } = engine;
    expect([catalog.version, catalog.versionAtMs]).toEqual([before.version, before.versionAtMs]);
    expect(schemaHash(catalog)).toBe(schemaHash(before));
    expect(await revisionsOf(engine)).toBe(revisions);
    expect(needsOf(engine)).toEqual(['policies']);
    await engine.close();
    const again = await opened(path);
    expect(again.catalog.policies).toEqual(readsOwn());
    expect(policyHash(again.catalog)).toBe(policyHash(catalog));
    await setPolicies(again, undefined);
    expect(again.catalog.policies).toBeUndefined();
    expect(needsOf(again)).toEqual(['policies']);
  });

  test('and keys, created at the same time, are both needed', async () => {
    for (const turns of [0, 1, 2, 3, 5]) {
      const engine = await opened('');
      await makeTable(engine);
      const making = setPolicies(engine, readsOwn());
      for (let i = 0; i < turns; i++) await Promise.resolve();
      await Promise.all([making, engine.keys.create(admin, 'open', anyone)]);
      expect([...needsOf(engine)].sort()).toEqual(['keys', 'policies']);
      expect(engine.catalog.policies).toEqual(readsOwn());
      expect(engine.keys.current.size).toBe(1);
    }
  });

  test('that cannot be read keep the database closed', async () => {
    const path = folder();
    const engine = await open(path);
    await makeTable(engine);
    await setPolicies(engine, readsOwn());
    const transaction = engine['database'].store.begin();
    const record = transaction.get(catalogKey) as Uint8Array;
    const stored = JSON.parse(Buffer.from(record.subarray(5)).toString('utf8'));
    const newer = { ...stored, policies: { ...stored.policies, columns: [] } };
    transaction.put(catalogKey, encodeFrame(newer));
    await transaction.commit();
    transaction.release();
    await engine.close();
    expect(await failureOf(open(path))).toMatchObject({ reason: 'catalog_corrupt' });
  });

  test('are changed with the scope admin only', async () => {
    const engine = await opened('');
    await makeTable(engine);
    const principal = keyPrincipal('k', { kind: 'token', scopes: new Set(['schema', 'read']) });
    const { reason, detail } = await failureOf(setPolicies(engine, readsOwn(), principal));
    expect([reason, detail]).toEqual([
      'insufficient_scope',
      expect.stringContaining('lacks the scope admin'),
    ]);
    expect(engine.catalog.policies).toBeUndefined();
  });

  test('are followed by a reader', async () => {
    const path = folder();
    const writer = await opened(path);
    await makeTable(writer);
    const signal = new AbortController().signal;
    const reading = { pollMs: 1, signal, waiting: () => {} };
    const reader = await opened(path, { reading });
    const follows = async (isSo: () => boolean) => {
      while (!isSo()) await systemWorld().scheduler.yield();
    };
    for (const policies of [readsOwn(), readsOwn('tenant'), undefined]) {
      await setPolicies(writer, policies);
      await follows(() => policyHash(reader.catalog) === policyHash(writer.catalog));
      expect(reader.catalog.policies).toEqual(policies as never);
    }
  });
});

describe('a plan that was made under other policies', () => {
  test('is not current', async () => {
    const engine = await opened('');
    await makeTable(engine);
    const program = creates(1);
    const { prepared } = await engine.execute({ program });
    const database = engine['database'];
    expect(database.isCurrent(prepared.plan)).toBe(true);
    await setPolicies(engine, readsOwn());
    expect(database.isCurrent(prepared.plan)).toBe(false);
    const { prepared: second } = await engine.execute({ program });
    await setPolicies(engine, readsOwn('tenant'));
    expect(database.isCurrent(second.plan)).toBe(false);
  });

  test('is not committed, but made again', async () => {
    const engine = await opened('');
    await makeTable(engine);
    let asked = 0;
    const program = () => {
      asked++;
      return creates(asked)();
    };
    let isSet = false;
    const beforeCommit = async () => {
      if (isSet) return;
      isSet = true;
      await setPolicies(engine, readsOwn());
    };
    await engine.execute({ program, beforeCommit });
    expect(asked).toBe(2);
    expect(await numbersIn(engine)).toEqual([2]);
  });

  test('belongs to an open transaction that does not commit', async () => {
    const engine = await opened('');
    await makeTable(engine);
    const transaction = engine.begin();
    await transaction.run({ program: creates(1) });
    await setPolicies(engine, readsOwn());
    expect(await transaction.commit()).toBe('conflict');
    expect(await numbersIn(engine)).toEqual([]);
  });
});
