/** Grouping, rolling, trimming and failing of the local log. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Scheduler, systemWorld } from '#base';
import { localLogDevice } from '../../../src/storage/log/local-device.ts';
import type {
  FenceCheck,
  LogDevice,
  LogRecovery,
  SegmentLog,
} from '../../../src/storage/log/log.ts';
import { memoryLogDevice } from '../../../src/storage/log/memory-log.ts';
import type { DirectoryIo } from '../../../src/storage/object/directory-io.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { rejection } from '../../support/outcome.ts';
import { type Faults, FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-log-'));
afterAll(() => rmSync(root, { recursive: true }));

const block = 4096;
/** Room for four blocks of groups behind the first two. */
const segmentBytes = 6 * block;

/** A log that was never trimmed. */
const whole = { segment: 1, record: 0 };

const recovery = (epoch: number, more: Partial<LogRecovery> = {}): LogRecovery => ({
  epoch,
  sealedBefore: epoch - 1,
  seals: [],
  extent: undefined,
  boundary: 0,
  replay: () => {},
  ...more,
});

async function start(device: LogDevice, fenced: FenceCheck = () => undefined): Promise<SegmentLog> {
  return device.start(await device.recover(recovery(1)), fenced);
}

/** Timers are due at once. */
const impatient: Scheduler = {
  ...seededWorld(1).scheduler,
  after(_, task) {
    setImmediate(task);
    return { cancel: () => {} };
  },
};

async function over(io: DirectoryIo, fenced?: FenceCheck): Promise<SegmentLog> {
  await prepareTree(io);
  return start(localLogDevice(io, impatient, segmentBytes), fenced);
}

const faulty = (faults: Faults = {}) => new FaultyDirectory(seededRandom(1), faults);
const payload = (bytes: number): Uint8Array[] => [new Uint8Array(bytes).fill(7)];

test('a large record is read again as it was, between small ones of the same group, and while more form', async () => {
  const io = faulty();
  await prepareTree(io);
  const device = localLogDevice(io, impatient, 16 << 20);
  const log = await start(device);
  const mib = 1 << 20;
  const large = [1, 2, 3, 4, 5].map((value) => new Uint8Array(mib + value).fill(value));
  log.append(payload(10));
  log.append(large);
  log.append(payload(11));
  await new Promise((resolve) => setImmediate(resolve));
  log.append(payload(12));
  await log.durable(4);
  await log.close();
  const found: { readonly bytes: number; readonly ends: readonly (number | undefined)[] }[] = [];
  await localLogDevice(io, impatient, 16 << 20).recover(
    recovery(2, {
      replay: (bytes: Uint8Array) => {
        found.push({ bytes: bytes.length, ends: [bytes[0], bytes.at(-1)] });
      },
    }),
  );
  expect(found).toEqual([
    { bytes: 10, ends: [7, 7] },
    { bytes: 5 * mib + 15, ends: [1, 5] },
    { bytes: 11, ends: [7, 7] },
    { bytes: 12, ends: [7, 7] },
  ]);
});

test('a log in memory keeps the parts of a large record, and replays them as one', async () => {
  const device = memoryLogDevice();
  const log = await start(device);
  const large = [1, 2].map((value) => new Uint8Array(3 << 20).fill(value));
  log.append(large);
  log.append(payload(10));
  (large[1] as Uint8Array)[0] = 9;
  const found: (number | undefined)[][] = [];
  const replay = (bytes: Uint8Array) => void found.push([bytes.length, bytes[0], bytes[3 << 20]]);
  await device.recover(recovery(2, { replay }));
  expect(found).toEqual([
    [6 << 20, 1, 9],
    [10, 7, undefined],
  ]);
  expect(log.counters.payloadBytes).toBe((6 << 20) + 10);
});

test('records appended in one turn, or while the disk works, share a group', async () => {
  const log = await over(faulty());
  const records = [1, 2, 3].map(() => log.append(payload(10)));
  expect(records).toEqual([1, 2, 3]);
  expect(log.durable(1)).toBe(log.durable(3) as Promise<void>);
  expect(log.durableTo).toBe(0);
  const waiting = log.durable(3);
  await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 50; i++) log.append(payload(10));
  await waiting;
  expect(log.durable(3)).toBeUndefined();
  await log.durable(53);
  expect(log.counters).toMatchObject({ records: 53, payloadBytes: 530, groups: 2 });
  expect(log.durableTo).toBe(53);
  await log.close();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The directory, of which a durable write takes some turns of the event loop. */
function slowly(io: DirectoryIo, turns: number): DirectoryIo {
  const open: DirectoryIo['open'] = (path, how) => {
    const file = io.open(path, how);
    if (file === undefined) return undefined;
    const write = file.writeDurably.bind(file);
    file.writeDurably = async (source, position) => {
      for (let i = 0; i < turns; i++) await turn();
      await write(source, position);
    };
    return file;
  };
  return Object.assign(Object.create(io) as DirectoryIo, { open });
}

test('those who are answered and commit again share a group with those who came while theirs was written', async () => {
  const log = await over(slowly(faulty(), 8));
  const rounds = 20;
  const client = async () => {
    for (let i = 0; i < rounds; i++) {
      await log.durable(log.append(payload(10)));
      for (let turns = 0; turns < 2; turns++) await turn();
    }
  };
  const first = [client(), client(), client()];
  for (let turns = 0; turns < 3; turns++) await turn();
  const second = [client(), client(), client()];
  await Promise.all([...first, ...second]);
  // They meet in the first group that they can share, and stay together: taking turns they would need twice as many.
  expect(log.counters.records).toBe(6 * rounds);
  expect(log.counters.groups).toBeLessThan(rounds + rounds / 4);
  await log.close();
});

test('those who do not come again are waited for no longer than a few turns', async () => {
  const log = await over(faulty());
  for (let i = 0; i < 10; i++) log.append(payload(10));
  await log.durable(10);
  let isDurable = false;
  void log.durable(log.append(payload(10)))?.then(() => {
    isDurable = true;
  });
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(isDurable).toBe(true);
  await log.close();
});

test('rolls to the next segment, and makes one as large as a group needs', async () => {
  const io = faulty();
  const log = await over(io);
  for (let i = 0; i < 5; i++) await log.durable(log.append(payload(block)));
  await log.durable(log.append(payload(100 * block)));
  await log.durable(log.append(payload(1)));
  // Two records of a block fill a segment, the large one fills its own.
  expect(log.counters.segments).toBe(5);
  expect(io.entries('wal').filter((name) => name.endsWith('.log'))).toHaveLength(5);
  await log.close();
  const sizes: number[] = [];
  const found = await localLogDevice(io, seededWorld(2).scheduler).recover(
    recovery(2, { extent: whole, replay: (bytes) => sizes.push(bytes.length) }),
  );
  expect(sizes).toEqual([block, block, block, block, block, 100 * block, 1]);
  expect(found.lastRecord).toBe(7);
});

test('trimming gives up or recycles what is below the boundary, and recycled bytes are never read', async () => {
  const io = faulty();
  const log = await over(io);
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 5; i++) await log.durable(log.append(payload(block)));
    await log.trim(log.durableTo, log.extent(log.durableTo));
  }
  expect(log.counters.segments).toBe(1);
  await log.durable(log.append([Buffer.from('last')]));
  await log.close();
  expect(io.entries('wal')).toEqual(['0000000001-0000000015.log', '0000000001-0000000016.log']);
  const found: string[] = [];
  await localLogDevice(io, seededWorld(2).scheduler).recover(
    recovery(2, {
      boundary: 30,
      extent: log.extent(30),
      replay: (bytes, record) => found.push(`${record}:${Buffer.from(bytes)}`),
    }),
  );
  expect(found).toEqual(['31:last']);
});

test('trimming deletes segments in the background, those of this epoch and of the one before', async () => {
  const io = faulty();
  const unlink = io.unlink.bind(io);
  io.unlink = (path) => {
    if (path.endsWith('.log')) throw new Error('frees space on this thread');
    return unlink(path);
  };
  const device = localLogDevice(io, seededWorld(1).scheduler, segmentBytes);
  const first = await start(device);
  for (let i = 0; i < 10; i++) await first.durable(first.append(payload(block)));
  await first.close();
  const recovered = await device.recover(recovery(2, { extent: whole }));
  const second = await device.start(recovered, () => undefined);
  for (let i = 0; i < 10; i++) await second.durable(second.append(payload(block)));
  await second.trim(second.durableTo, second.extent(second.durableTo));
  expect(io.entries('wal').filter((name) => name.endsWith('.log'))).toHaveLength(1);
  await second.close();
});

test('trimming keeps what holds a record above the boundary', async () => {
  const io = faulty();
  const log = await over(io);
  for (let i = 0; i < 6; i++) await log.durable(log.append(payload(block)));
  expect(log.counters.segments).toBe(3);
  await log.trim(1, log.extent(1));
  expect(log.counters.segments).toBe(3);
  await log.trim(2, log.extent(1));
  expect(log.counters.segments).toBe(3);
  await log.trim(2, log.extent(2));
  expect(log.counters.segments).toBe(2);
  await log.close();
});

describe('failures are final', () => {
  test('a failed sync poisons the log', async () => {
    // The third sync of a file: the first two are those of the empty segment and of its header.
    const log = await over(faulty({ failSyncAt: 3 }));
    const first = log.durable(log.append(payload(1)));
    const failure = await first?.then(
      () => undefined,
      (error) => error,
    );
    expect(failure).toBeInstanceOf(StorageError);
    expect(failure.fault).toMatchObject({ kind: 'io', operation: 'write' });
    expect(log.poisoned).toBe(failure);
    expect(() => log.append(payload(1))).toThrow(failure);
    expect(await rejection(log.durable(1))).toBe(failure);
    expect(log.durableTo).toBe(0);
    await log.close();
  });

  test('so does a lost epoch, even when the bytes are durable', async () => {
    const fenced = new StorageError({ kind: 'fenced', epoch: 1, by: 2 });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<StorageError>();
    const log = await over(faulty(), () => {
      asked.resolve();
      return answer.promise;
    });
    const written = log.durable(log.append(payload(1)));
    await asked.promise;
    const forming = log.durable(log.append(payload(1)));
    answer.resolve(fenced);
    expect(await rejection(written)).toBe(fenced);
    expect(await rejection(forming)).toBe(fenced);
    await log.close();
    expect(log.durableTo).toBe(0);
  });
});

test('without room for the next segment a record is refused before it is appended, and room is found again', async () => {
  const io = faulty({ roomBytes: segmentBytes + 100 });
  const log = await over(io);
  const record = async () => {
    await log.room?.(1);
    await log.durable(log.append(payload(1)));
  };
  for (let i = 0; i < 4; i++) await record();
  const refused = await record().catch((error) => error.fault.kind);
  expect(refused).toBe('full');
  expect(log.poisoned).toBeUndefined();
  expect(log.durableTo).toBe(4);
  expect(io.entries('wal').filter((name) => name.endsWith('.fill'))).toEqual([]);
  io.room += segmentBytes;
  while (log.durableTo < 8) {
    await record().catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(log.last).toBe(8);
  await log.close();
});

test('what may be appended fits, whatever is appended at the same time', async () => {
  const unit = seededRandom(11);
  for (let round = 0; round < 20; round++) {
    const io = faulty({ roomBytes: Math.floor(unit() * 40) * block });
    const log = await over(io).catch(() => undefined);
    if (log === undefined) continue;
    let refused = 0;
    const client = async () => {
      for (let i = 0; i < 20 && refused < 8; i++) {
        const bytes = Math.floor(unit() * 2 * block);
        try {
          for (let wait = log.room?.(bytes); wait !== undefined; wait = log.room?.(bytes))
            await wait;
          await log.durable(log.append(payload(bytes)));
        } catch (error) {
          expect((error as StorageError).fault.kind).toBe('full');
          refused++;
        }
      }
    };
    await Promise.all([1, 2, 3, 4].map(client));
    expect(log.poisoned).toBeUndefined();
    expect(log.durableTo).toBe(log.last);
    await log.close();
  }
});

describe('the log in memory', () => {
  test('is durable at once, survives a reopening and trims', async () => {
    const device = memoryLogDevice();
    const log = await start(device);
    for (const text of ['a', 'b', 'c']) log.append([Buffer.from(text), Buffer.from('!')]);
    expect(log.durable(3)).toBeUndefined();
    await log.trim(1, log.extent(1));
    const found: string[] = [];
    const replay = (bytes: Uint8Array, record: number) =>
      void found.push(`${record}:${Buffer.from(bytes)}`);
    const recovered = await device.recover(recovery(2, { replay }));
    expect(found).toEqual(['2:b!', '3:c!']);
    expect(recovered).toMatchObject({ lastRecord: 3, replayedRecords: 2 });
    const next = await device.start(recovered, () => undefined);
    expect(() => log.append(payload(1))).toThrow('taken over by epoch 2');
    expect(next.append(payload(1))).toBe(4);
    await next.trim(99, next.extent(99));
    expect(next.append(payload(1))).toBe(5);
  });
});

test('on a real directory: concurrent clients, then everything is there', async () => {
  const io = systemDirectory(root);
  await prepareTree(io);
  const device = localLogDevice(io, systemWorld().scheduler, 64 << 10);
  const log = await start(device);
  const client = async (name: number): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const record = log.append([Buffer.from(`${name}.${i}`), new Uint8Array(700)]);
      await log.durable(record);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, name) => client(name)));
  expect(log.counters.groups).toBeLessThan(200);
  await log.close();
  const found = new Set<string>();
  const recovered = await device.recover(
    recovery(2, {
      extent: whole,
      replay: (bytes) => found.add(Buffer.from(bytes.subarray(0, -700)).toString()),
    }),
  );
  expect(found.size).toBe(320);
  expect(recovered).toMatchObject({ lastRecord: 320, torn: undefined });
});

test('a spare segment that cannot be removed keeps no log from closing', async () => {
  const io = faulty();
  const log = await over(io);
  await log.durable(log.append(payload(3 * block)));
  await settled(io);
  const refused = Object.assign(new Error('input/output error'), { code: 'EIO' });
  io.unlink = () => {
    throw refused;
  };
  await log.close();
  expect(io.entries('wal').some((name) => name.endsWith('.spare'))).toBe(true);
});

/** Until the spare segment is there. */
async function settled(io: DirectoryIo): Promise<void> {
  while (!io.entries('wal').some((name) => name.endsWith('.spare'))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(['removed', 'renamed', 'replaced'])(
  'a group is not acknowledged when the name of its segment was %s: nobody would find it',
  async (how) => {
    const path = mkdtempSync(join(root, 'gone-'));
    const io = systemDirectory(path);
    const log = await over(io);
    await log.durable(log.append(payload(10)));
    const name = 'wal/0000000001-0000000001.log';
    const content = readFileSync(join(path, name));
    if (how === 'removed') rmSync(path, { recursive: true });
    else renameSync(join(path, name), join(path, 'elsewhere'));
    if (how === 'replaced') writeFileSync(join(path, name), content);
    const failure = await log.durable(log.append(payload(10)))?.catch((error: unknown) => error);
    expect((failure as StorageError).fault).toEqual({
      kind: 'io',
      operation: 'find',
      object: name,
    });
    expect([log.durableTo, log.poisoned]).toEqual([1, failure as StorageError]);
    await log.close();
  },
);
