/** What recovery makes of damaged segments: a torn tail is cut, anything else is named and refused. */

import { describe, expect, test } from 'bun:test';
import { crc32 } from '#base';
import { localLogDevice } from '../../../src/storage/log/local-device.ts';
import type {
  LogDevice,
  LogExtent,
  RecoveredLog,
  SegmentSeal,
} from '../../../src/storage/log/log.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';

const block = 4096;
/** Where the group of this number begins, from 0. */
const group = (number: number) => (2 + number) * block;
const first = 'wal/0000000001-0000000001.log';
const second = 'wal/0000000001-0000000002.log';

interface Found {
  readonly records: string[];
  readonly log: RecoveredLog;
}

interface Manifested {
  readonly sealedBefore?: number;
  readonly seals?: readonly SegmentSeal[];
  readonly boundary?: number;
  readonly extent?: LogExtent | undefined;
}

async function recover(device: LogDevice, epoch: number, more: Manifested = {}): Promise<Found> {
  const records: string[] = [];
  const log = await device.recover({
    epoch,
    sealedBefore: epoch - 1,
    seals: [],
    extent: epoch === 1 ? undefined : { segment: 1, record: 0 },
    boundary: 0,
    replay: (payload, record) => records.push(`${record}:${Buffer.from(payload)}`),
    ...more,
  });
  return { records, log };
}

/** A directory in which epoch 1 wrote each of `groups` as one group; a segment has room for four blocks of them. */
async function written(groups: readonly (readonly string[])[]) {
  const directory = new FaultyDirectory(seededRandom(1));
  await prepareTree(directory);
  const device = localLogDevice(directory, seededWorld(1).scheduler, group(4));
  const log = await device.start((await recover(device, 1)).log, () => undefined);
  for (const payloads of groups) {
    let last = 0;
    for (const payload of payloads) last = log.append([Buffer.from(payload)]);
    await log.durable(last);
  }
  await log.close();
  return { directory, device };
}

async function refusal(recovering: Promise<Found>) {
  const error = await recovering.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(StorageError);
  return (error as StorageError).fault;
}

function flip(directory: FaultyDirectory, path: string, offset: number): void {
  const content = directory.content(path);
  content[offset] = (content[offset] as number) ^ 0x40;
}

describe('segments that no manifest has sealed', () => {
  test('read back whole, in order', async () => {
    const { device } = await written([['a', 'bb'], ['ccc'], ['']]);
    const { records, log } = await recover(device, 2);
    expect(records).toEqual(['1:a', '2:bb', '3:ccc', '4:']);
    expect(log.torn).toBeUndefined();
    expect(log.replayedRecords).toBe(4);
    expect(log.seals).toEqual([{ epoch: 1, segment: 1, bytes: group(2) + 32, lastRecord: 4 }]);
  });

  test('records at or below the boundary are not replayed', async () => {
    const { device } = await written([['a', 'b'], ['c']]);
    expect((await recover(device, 2, { boundary: 2 })).records).toEqual(['3:c']);
  });

  test('a damaged last group is a torn tail', async () => {
    const { directory, device } = await written([['a'], ['b', 'c', 'd']]);
    flip(directory, first, group(1) + 40 + 32);
    const { records, log } = await recover(device, 2);
    expect(records).toEqual(['1:a', '2:b']);
    expect(log.torn).toBe(`${first}:${group(1) + 40}`);
    expect(log.lastRecord).toBe(2);
  });

  test('a torn group whose later sectors were written is a torn tail', async () => {
    const { directory, device } = await written([['a'], ['b'.repeat(block - 32), 'c']]);
    directory.content(first).fill(0, group(1), group(2));
    expect((await recover(device, 2)).records).toEqual(['1:a']);
  });

  test('a damaged record before a later group is refused, and the loss is named', async () => {
    const { directory, device } = await written([['a'], ['b', 'c'], ['d'], ['e']]);
    flip(directory, first, group(1) + 40 + 32);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'corrupt',
      object: first,
      offset: group(1) + 40,
      detail: 'record 3 is damaged',
      lost: 'record 3 and all later records would be lost, including 4',
    });
  });

  test.each([0, 4, 8, 12, 16, 20, 24, 32])('whichever byte of a record: %d', async (byte) => {
    const { directory, device } = await written([['a'], ['b'], ['c']]);
    flip(directory, first, group(1) + byte);
    expect(await refusal(recover(device, 2))).toMatchObject({
      kind: 'corrupt',
      offset: group(1),
    });
  });

  test('a group overwritten by an older one of the same segment is refused', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d']]);
    const content = directory.content(first);
    content.copyWithin(group(2), group(1), group(2));
    expect(await refusal(recover(device, 2))).toMatchObject({ offset: group(2) });
  });

  test('a damaged segment header is refused when a later group exists', async () => {
    const { directory, device } = await written([['a'], ['b']]);
    flip(directory, first, 3);
    expect(await refusal(recover(device, 2))).toMatchObject({ object: first, offset: 0 });
  });

  test('a damaged header is refused though nothing was written behind it', async () => {
    const { directory, device } = await written([]);
    flip(directory, first, 30);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'corrupt',
      object: first,
      offset: 0,
      detail: 'the header of the segment is damaged',
      lost: 'all records after 0 would be lost',
    });
  });

  test('a damaged last group of a segment that has a successor is refused', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    flip(directory, first, group(3) + 32);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'corrupt',
      object: first,
      offset: group(2) + 33,
      detail: 'record 4 is damaged',
      lost: 'all records after 3 would be lost',
    });
  });

  test('a segment that the one before says to follow is refused when it is missing, empty or cut, with or without records', async () => {
    const large = 'd'.repeat(6 * block);
    for (const groups of [
      [['a'], ['b'], ['c'], ['d'], ['e']],
      [['a'], [large]],
    ]) {
      for (const length of [undefined, 0, 39, 40, block, group(0), group(1)]) {
        const { directory, device } = await written(groups);
        if (length === undefined) directory.unlink(second);
        else directory.truncate(second, length);
        const trouble = await refusal(recover(device, 2));
        expect(trouble).toMatchObject({ object: second });
        expect(trouble.kind).toBe(length === undefined ? 'vanished' : 'corrupt');
      }
    }
  });

  test('a segment that was cut behind its records says that none of them is lost', async () => {
    const detail = `the segment is truncated, it had ${group(4)} bytes`;
    const cut = async (bytes: number, extent?: LogExtent) => {
      const { directory, device } = await written([['a'], ['b']]);
      directory.truncate(first, bytes);
      return refusal(recover(device, 2, extent && { extent }));
    };
    const none = 'the missing part contained no record, so none is lost';
    expect(await cut(group(3))).toEqual({
      ...{ kind: 'corrupt', object: first, offset: group(3), detail },
      lost: none,
    });
    // Nothing shows that no group began there.
    expect(await cut(group(2))).toMatchObject({
      detail,
      lost: 'all records after 2 would be lost',
    });
    expect(await cut(group(1) + 8)).toMatchObject({ lost: 'all records after 1 would be lost' });
    const three = { segment: 1, record: 3 };
    expect(await cut(group(3), three)).toMatchObject({ lost: 'all records after 2 would be lost' });
  });

  test('what is missing is said, and what shows it', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    directory.unlink(second);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'vanished',
      object: second,
      evidence: `the mark in ${first} names it`,
      lost: 'all records after 4 would be lost',
    });
    directory.unlink(first);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'vanished',
      object: first,
      evidence: 'the newest remaining manifest names it as the continuation of the log',
      lost: 'all records after 0 would be lost',
    });
  });

  test('the empty segment of a new log is refused when it is missing or cut', async () => {
    for (const length of [undefined, 0, block, group(4) - 1]) {
      const { directory, device } = await written([]);
      if (length === undefined) directory.unlink(first);
      else directory.truncate(first, length);
      expect(await refusal(recover(device, 2))).toMatchObject({ object: first });
    }
  });

  test('without its mark a segment is followed by the one that is there', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    directory.content(first).fill(0, block, 2 * block);
    expect((await recover(device, 2)).records).toEqual(['1:a', '2:b', '3:c', '4:d', '5:e']);
    flip(directory, first, group(3) + 32);
    expect(await refusal(recover(device, 2))).toMatchObject({
      object: second,
      detail: 'the segment does not follow record 3, the last one of the previous segment',
    });
  });

  test('a segment between two others is refused when it is missing, mark or not', async () => {
    const groups = 'abcdefghi'.split('').map((text) => [text]);
    const { directory, device } = await written(groups);
    directory.unlink(second);
    directory.content(first).fill(0, block, 2 * block);
    expect(await refusal(recover(device, 2))).toMatchObject({
      kind: 'vanished',
      object: second,
      evidence: 'wal/0000000001-0000000003.log follows it',
    });
  });

  test('a log that ends before what the manifest says of it is refused', async () => {
    const { directory, device } = await written([['a'], ['b', 'c']]);
    directory.content(first).fill(0, group(1), group(2));
    const extent = { segment: 1, record: 3 };
    expect(await refusal(recover(device, 2, { extent }))).toEqual({
      kind: 'corrupt',
      object: first,
      offset: group(0) + 33,
      detail: 'record 2 is damaged or missing',
      lost: 'records up to 3 would be lost from here on',
    });
    expect((await recover(device, 2, { extent, boundary: 3 })).log.lastRecord).toBe(3);
    expect((await recover(device, 2, { extent: { segment: 1, record: 1 } })).log.lastRecord).toBe(
      1,
    );
  });

  test('a writer that has closed left nothing but what is sealed', async () => {
    const { directory, device } = await written([['a']]);
    directory.unlink(first);
    expect((await recover(device, 2, { extent: { segment: 0, record: 0 } })).records).toEqual([]);
  });

  test('segments before the one where the log goes on are not needed', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    directory.unlink(first);
    const extent = { segment: 2, record: 4 };
    expect((await recover(device, 2, { boundary: 4, extent })).records).toEqual(['5:e']);
    expect(await refusal(recover(device, 2, { boundary: 3, extent }))).toMatchObject({
      object: second,
      detail: 'the segment does not follow record 0, the last one of the previous segment',
    });
  });

  test('records of an epoch that no manifest knows are refused', async () => {
    const { device } = await written([['a']]);
    expect(await refusal(recover(device, 3, { sealedBefore: 0, extent: undefined }))).toEqual({
      kind: 'vanished',
      object: 'manifest/0000000001-*',
      evidence: `${first} shows that there was one, or a later one`,
      lost: 'its information on SSTables and log would be lost',
    });
  });

  test('without the newest manifest, records of its epoch show that before the log of an older one is missed', async () => {
    const { directory, device } = await written([['a']]);
    const log = await device.start((await recover(device, 2)).log, () => undefined);
    await log.durable(log.append([Buffer.from('b')]));
    directory.unlink(first);
    const older = { sealedBefore: 1, extent: { segment: 1, record: 1 } };
    expect(await refusal(recover(device, 4, older))).toMatchObject({
      kind: 'vanished',
      object: 'manifest/0000000002-*',
      evidence: 'wal/0000000002-0000000001.log shows that there was one, or a later one',
    });
  });

  test('where nothing tells, a manifest is said to be missing instead of the log, if somebody may have made one', async () => {
    const { directory, device } = await written([['a']]);
    await device.start((await recover(device, 2)).log, () => undefined);
    directory.unlink(first);
    const older = { sealedBefore: 1, extent: { segment: 1, record: 1 } };
    const orManifestAfter = 'manifest/0000000001-*';
    const missing = await refusal(recover(device, 3, older));
    expect(missing).toMatchObject({ kind: 'vanished', object: first, orManifestAfter });
    expect(new StorageError(missing).message).toStartWith(
      `${first} is missing, or a manifest after ${orManifestAfter}: the newest remaining manifest`,
    );
    expect(await refusal(recover(device, 2, older))).not.toHaveProperty('orManifestAfter');
    const seals = [{ epoch: 1, segment: 1, bytes: group(0) + 33, lastRecord: 1 }];
    const sealed = { sealedBefore: 2, seals, extent: { segment: 0, record: 1 } };
    expect(await refusal(recover(device, 4, sealed))).toMatchObject({
      object: first,
      orManifestAfter: 'manifest/0000000002-*',
    });
  });

  test('of an epoch that got no further, an empty first segment may be there', async () => {
    const { directory, device } = await written([]);
    const unknown = { sealedBefore: 0, extent: undefined };
    expect((await recover(device, 3, unknown)).records).toEqual([]);
    directory.link(first, second);
    expect((await recover(device, 3, unknown)).records).toEqual([]);
  });

  test('an empty first segment that follows a record is refused where there is no manifest', async () => {
    const directory = new FaultyDirectory(seededRandom(1));
    await prepareTree(directory);
    const device = localLogDevice(directory, seededWorld(1).scheduler, group(4));
    const recovered = { epoch: 2, seals: [], lastRecord: 7, lastCrc: 1, torn: undefined };
    await device.start({ ...recovered, replayedRecords: 0 }, () => undefined);
    const unknown = { sealedBefore: 0, extent: undefined };
    expect(await refusal(recover(device, 3, unknown))).toMatchObject({
      object: 'manifest/0000000001-*',
    });
    const known = { sealedBefore: 1, extent: { segment: 0, record: 6 } };
    expect((await recover(device, 3, known)).records).toEqual([]);
  });

  test('a segment that another file replaces while its last group is made durable again is not relied upon', async () => {
    const { directory, device } = await written([['a']]);
    const recovering = refusal(recover(device, 2));
    directory.open('wal/copy', 'create');
    directory.rename('wal/copy', first);
    expect(await recovering).toEqual({ kind: 'io', operation: 'find', object: first });
  });

  test('another format version is refused', async () => {
    const { directory, device } = await written([['a']]);
    const content = directory.content(first);
    const view = new DataView(content.buffer);
    view.setUint32(8, 7, true);
    view.setUint32(36, crc32(content.subarray(0, 36)), true);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'format',
      object: first,
      version: 7,
    });
  });
});

describe('sealed segments', () => {
  const sealed = async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    const { seals } = (await recover(device, 2)).log;
    const extent = { segment: 0, record: 5 };
    return { directory, device, manifest: { sealedBefore: 2, seals, extent } };
  };

  test('count up to the seal, whatever follows', async () => {
    const { device, manifest } = await sealed();
    const seals = [{ epoch: 1, segment: 1, bytes: group(1) + 33, lastRecord: 2 }];
    expect((await recover(device, 3, { ...manifest, seals })).records).toEqual(['1:a', '2:b']);
  });

  test('read back whole', async () => {
    const { device, manifest } = await sealed();
    const { records, log } = await recover(device, 3, manifest);
    expect(records).toEqual(['1:a', '2:b', '3:c', '4:d', '5:e']);
    expect(log.seals).toEqual(manifest.seals);
  });

  test('have no torn tail', async () => {
    const { directory, device, manifest } = await sealed();
    flip(directory, second, group(0) + 32);
    expect(await refusal(recover(device, 3, manifest))).toEqual({
      kind: 'corrupt',
      object: second,
      offset: 0,
      detail: 'record 5 is damaged',
      lost: 'records up to 5 would be lost from here on',
    });
  });

  test('may be missing only when their records are in tables', async () => {
    const { directory, device, manifest } = await sealed();
    directory.unlink(first);
    expect(await refusal(recover(device, 3, manifest))).toMatchObject({
      kind: 'vanished',
      object: first,
      evidence: 'the newest remaining manifest names it',
    });
    expect((await recover(device, 3, { ...manifest, boundary: 4 })).records).toEqual(['5:e']);
  });
});
