/** A table whose file is deleted or replaced under a running store, or is not there when a store opens. */

import { afterAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld, type World } from '#base';
import { examinePlace, openStore } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { bodyOf, rowKey } from '../columns/bodies.ts';
import { bytes, range, read, take, write } from '../transaction/support.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-deleted-'));
afterAll(() => rmSync(root, { recursive: true }));

const minuteMs = 60_000;
const count = 300;

const open = (path: string, world: World) =>
  openStore({ storage: 'file', path, world, blockBytes: 1024, keptKeys: [bytes('key 0')] });

/** All in one table, so large that it has many blocks. */
async function oneTable(valueOfSeven = '7 '.repeat(30)) {
  const path = mkdtempSync(join(root, 'store-'));
  const world = manualWorld();
  const store = await open(path, world);
  for (let i = 0; i < count; i++) {
    await write(store, { [`key ${i}`]: i === 7 ? valueOfSeven : `${i} `.repeat(30) });
  }
  await store.tidy();
  const [name] = readdirSync(join(path, 'sst'));
  return { path, world, store, table: `sst/${name}`, file: join(path, 'sst', name as string) };
}

async function rows(store: LsmStore): Promise<number> {
  const snapshot = store.snapshot();
  try {
    return (await take(snapshot.scan(range(''), 'forward'))).length;
  } finally {
    snapshot.release();
  }
}

/** Lets a minute pass, and whatever is done in it come to its end. */
async function aMinute(
  world: ReturnType<typeof manualWorld>,
  until?: () => boolean,
): Promise<void> {
  const turnsMax = until === undefined ? 120 : 5000;
  for (let turn = 0; turn < turnsMax && until?.() !== true; turn++) {
    if (turn < 60) world.advance(minuteMs / 60);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

test('a table whose rows lie as columns is whole, and is written again when it is deleted', async () => {
  const path = mkdtempSync(join(root, 'store-'));
  const world = manualWorld();
  const store = await open(path, world);
  const transaction = store.begin();
  for (let row = 0; row < count; row++) {
    transaction.put(rowKey(1, row), bodyOf([{ id: 1, bytes: bytes(`city ${row % 5}`) }], true));
  }
  await transaction.commit();
  transaction.release();
  await store.tidy();
  const [name] = readdirSync(join(path, 'sst'));
  const file = join(path, 'sst', name as string);
  const before = readFileSync(file);
  const place = { storage: 'file', path, s3: undefined, world: systemWorld() } as const;
  const found = await examinePlace(place, { rounds: 1, creators: 2 });
  expect(found.find((finding) => finding.name === 'tables')).toMatchObject({ status: 'pass' });
  unlinkSync(file);
  await aMinute(world, () => store.statistics().damaged.length > 0);
  expect(store.statistics().damaged).toMatchObject([{ kind: 'restored' }]);
  expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  await store.close();
});

test.each(['deleted', 'replaced'])(
  'a table whose file is %s is written again within a minute',
  async (how) => {
    const { path, world, store, table, file } = await oneTable();
    const before = readFileSync(file);
    unlinkSync(file);
    if (how === 'replaced') writeFileSync(file, 'something else');
    await aMinute(world, () => store.statistics().damaged.length > 0);
    expect(store.statistics().damaged).toMatchObject([{ table, kind: 'restored' }]);
    expect(Buffer.compare(readFileSync(file), before)).toBe(0);
    expect(await rows(store)).toBe(count);
    // What is open is the new file, so that its loss is noticed as well.
    unlinkSync(file);
    await aMinute(world, () => existsSync(file));
    expect(existsSync(file)).toBe(true);
    await store.close();
    const again = await open(path, manualWorld());
    expect(await rows(again)).toBe(count);
    expect(again.statistics().damaged).toEqual([]);
    await again.close();
  },
);

test('a manifest that is deleted is written again within a minute', async () => {
  const { path, world, store } = await oneTable();
  await write(store, { later: 'in the log' });
  const [name] = readdirSync(join(path, 'manifest'));
  const file = join(path, 'manifest', name as string);
  const before = readFileSync(file);
  unlinkSync(file);
  await aMinute(world, () => store.statistics().damaged.length > 0);
  expect(store.statistics().damaged).toMatchObject([
    { table: `manifest/${name}`, kind: 'restored' },
  ]);
  expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  // The next one takes its place as ever.
  await store.tidy();
  expect(readdirSync(join(path, 'manifest'))).toHaveLength(1);
  expect(readdirSync(join(path, 'manifest'))).not.toEqual([name]);
  await store.close();
  const again = await open(path, manualWorld());
  expect(await rows(again)).toBe(count + 1);
  await again.close();
});

test.each([
  ['manifest', 'within a minute'],
  ['sst', 'within a minute'],
  ['manifest', 'by the next flush'],
  ['sst', 'by the next flush'],
])('a directory %s/ that is deleted is made again %s, and nothing is lost', async (name, when) => {
  const { path, world, store } = await oneTable();
  const directory = join(path, name);
  rmSync(directory, { recursive: true });
  await write(store, { later: 'in the log' });
  if (when === 'by the next flush') await store.tidy();
  await aMinute(world, () => store.statistics().damaged.length > 0 || name === 'manifest');
  await aMinute(world, () => existsSync(directory) && readdirSync(directory).length > 0);
  expect(readdirSync(directory).length).toBeGreaterThan(0);
  await store.close();
  const again = await open(path, manualWorld());
  expect(await rows(again)).toBe(count + 1);
  expect(again.statistics().damaged).toEqual([]);
  await again.close();
});

test('what is open and not whole does not stand for the table', async () => {
  const { world, store, table, file } = await oneTable();
  truncateSync(file, 500);
  unlinkSync(file);
  await aMinute(world, () => store.statistics().damaged.length > 0);
  const [damage] = store.statistics().damaged;
  expect(damage).toMatchObject({ table, kind: 'missing' });
  expect(damage?.detail).toContain('could not be written again');
  expect(damage?.detail).toContain('/proc/');
  expect(existsSync(file)).toBe(false);
  await store.close();
});

test('a directory that is away for a while is no loss of tables', async () => {
  const { path, world, store, file } = await oneTable();
  renameSync(path, `${path}-away`);
  await aMinute(world);
  expect(store.statistics().damaged).toEqual([]);
  renameSync(`${path}-away`, path);
  await aMinute(world);
  expect(store.statistics().damaged).toEqual([]);
  expect(existsSync(file)).toBe(true);
  await store.close();
});

test('a missing table keeps no store from opening; what it holds is refused by its name, until it is put back', async () => {
  const { path, store, table, file } = await oneTable();
  await write(store, { later: 'in the log' });
  await store.close();
  renameSync(file, join(root, 'kept'));
  const world = manualWorld();
  const again = await open(path, world);
  expect(again.statistics().damaged).toMatchObject([{ table, kind: 'missing' }]);
  const snapshot = again.snapshot();
  expect(await read(snapshot, 'later')).toBe('in the log');
  const failure = await read(snapshot, 'key 7').catch((error: unknown) => error);
  expect(String(failure)).toContain(table);
  expect(String(failure)).toContain(
    'restored from a backup, or until a newer manifest that does not name',
  );
  await write(again, { more: '1' });
  copyFileSync(join(root, 'kept'), file);
  expect(await read(snapshot, 'key 7')).toBe('7 '.repeat(30));
  snapshot.release();
  await aMinute(world, () => again.statistics().damaged.length === 0);
  expect(again.statistics().damaged).toEqual([]);
  await again.close();
});

test('what all else depends on is read without the table that holds it', async () => {
  const { path, store, file } = await oneTable();
  await store.close();
  unlinkSync(file);
  const again = await open(path, manualWorld());
  expect(await read(again.snapshot(), 'key 0')).toBe('0 '.repeat(30));
  await again.close();
});

test('the files of tables that were merged or dropped are closed', async () => {
  const { path, store, file } = await oneTable();
  const opened = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(join(path, 'sst'));
      } catch {
        return false;
      }
    }).length;
  expect(opened()).toBe(1);
  for (let i = 0; i < 3; i++) {
    await write(store, { 'key 0': '1', [`key 9${i}`]: '1' });
    await store.tidy();
  }
  expect([existsSync(file), opened()]).toEqual([false, 1]);
  await store.close();
  expect(opened()).toBe(0);
});

test('what a missing table was merged into is kept when the manifest that says so is gone', async () => {
  const { path, store, file } = await oneTable();
  const lost = `${path}-lost`;
  cpSync(path, lost, { recursive: true });
  await write(store, { more: '1' });
  await store.tidy();
  const merged = readdirSync(join(path, 'sst')).filter((name) => !file.endsWith(name));
  expect(merged).toHaveLength(1);
  for (const name of merged) cpSync(join(path, 'sst', name), join(lost, 'sst', name));
  await store.close();
  rmSync(join(lost, 'sst', file.slice(-21)));
  const world = manualWorld();
  const opened = await open(lost, world);
  await write(opened, { other: '1' });
  await opened.tidy();
  await aMinute(world);
  expect(readdirSync(join(lost, 'sst'))).toEqual(expect.arrayContaining(merged));
  await opened.close();
});

async function valueIn(store: LsmStore, key: string): Promise<string | undefined> {
  const snapshot = store.snapshot();
  try {
    return await read(snapshot, key);
  } finally {
    snapshot.release();
  }
}

/** Two stores that gave the same names to different tables; the file of the other one takes the place of the first one's. */
async function exchanged() {
  const [mine, other] = [await oneTable(), await oneTable('8 '.repeat(30))];
  expect(mine.table).toBe(other.table);
  await other.store.close();
  const swap = () => {
    copyFileSync(other.file, `${mine.file}.other`);
    renameSync(`${mine.file}.other`, mine.file);
  };
  return { ...mine, swap };
}

test('a table of another database under the same name is damaged, and never taken for the own one', async () => {
  const { path, store, table, swap } = await exchanged();
  await store.close();
  swap();
  const opened = await open(path, manualWorld());
  expect(await outcomeOf(valueIn(opened, 'key 7'))).toThrow('another SSTable with the same name');
  expect(opened.statistics().damaged).toMatchObject([{ table, kind: 'corrupt' }]);
  await opened.close();
});
