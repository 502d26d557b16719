/** What recovery makes of damaged segments: a torn tail is cut, anything else is named and refused. */

import { describe, expect, test } from 'bun:test';
import { crc32 } from '#base';
import { localLogDevice } from '../../../src/storage/log/local-device.ts';
import type { LogDevice, RecoveredLog, SegmentSeal } from '../../../src/storage/log/log.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { StorageError } from '../../../src/storage/object/trouble.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';

const block = 4096;
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
}

async function recover(device: LogDevice, epoch: number, more: Manifested = {}): Promise<Found> {
  const records: string[] = [];
  const log = await device.recover({
    epoch,
    sealedBefore: epoch - 1,
    seals: [],
    boundary: 0,
    replay: (payload, record) => records.push(`${record}:${Buffer.from(payload)}`),
    ...more,
  });
  return { records, log };
}

/** A directory in which epoch 1 wrote each of `groups` as one group; the first segment has four blocks. */
async function written(groups: readonly (readonly string[])[]) {
  const directory = new FaultyDirectory(seededRandom(1));
  await prepareTree(directory);
  const device = localLogDevice(directory, seededWorld(1).scheduler, 4 * block);
  const log = await device.start((await recover(device, 1)).log, () => undefined);
  for (const group of groups) {
    let last = 0;
    for (const payload of group) last = log.append([Buffer.from(payload)]);
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
  return (error as StorageError).trouble;
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
    expect(log.seals).toEqual([{ epoch: 1, segment: 1, bytes: 2 * block + 32, lastRecord: 4 }]);
  });

  test('records at or below the boundary are not replayed', async () => {
    const { device } = await written([['a', 'b'], ['c']]);
    expect((await recover(device, 2, { boundary: 2 })).records).toEqual(['3:c']);
  });

  test('a damaged last group is a torn tail', async () => {
    const { directory, device } = await written([['a'], ['b', 'c', 'd']]);
    flip(directory, first, block + 40 + 32);
    const { records, log } = await recover(device, 2);
    expect(records).toEqual(['1:a', '2:b']);
    expect(log.torn).toBe(`${first}:${block + 40}`);
    expect(log.lastRecord).toBe(2);
  });

  test('a torn group whose later sectors were written is a torn tail', async () => {
    const { directory, device } = await written([['a'], ['b'.repeat(block - 32), 'c']]);
    directory.content(first).fill(0, block, 2 * block);
    expect((await recover(device, 2)).records).toEqual(['1:a']);
  });

  test('a damaged record before a later group is refused, and the loss is named', async () => {
    const { directory, device } = await written([['a'], ['b', 'c'], ['d'], ['e']]);
    flip(directory, first, block + 40 + 32);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'corrupt',
      object: first,
      offset: block + 40,
      detail: 'record 3 is damaged',
      lost: 'record 3 and all after it would be lost, 4 among them',
    });
  });

  test.each([0, 4, 8, 12, 16, 20, 24, 32])('whichever byte of a record: %d', async (byte) => {
    const { directory, device } = await written([['a'], ['b'], ['c']]);
    flip(directory, first, block + byte);
    expect(await refusal(recover(device, 2))).toMatchObject({ kind: 'corrupt', offset: block });
  });

  test('a group overwritten by an older one of the same segment is refused', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d']]);
    const content = directory.content(first);
    content.copyWithin(2 * block, block, 2 * block);
    expect(await refusal(recover(device, 2))).toMatchObject({ offset: 2 * block });
  });

  test('a damaged segment header is refused when a later group exists', async () => {
    const { directory, device } = await written([['a'], ['b']]);
    flip(directory, first, 3);
    expect(await refusal(recover(device, 2))).toMatchObject({ object: first, offset: 0 });
  });

  test('a damaged header of the only group is a torn tail', async () => {
    const { directory, device } = await written([['a']]);
    flip(directory, first, 30);
    expect((await recover(device, 2)).records).toEqual([]);
  });

  test('a damaged tail of a segment that has a successor is refused', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    flip(directory, first, 3 * block + 32);
    expect(await refusal(recover(device, 2))).toEqual({
      kind: 'corrupt',
      object: second,
      offset: 0,
      detail: 'the segment does not follow record 3, where the one before ends',
      lost: 'record 4 and all after it would be lost, 5 among them',
    });
  });

  test('a missing segment is refused unless its records are in tables', async () => {
    const { directory, device } = await written([['a'], ['b'], ['c'], ['d'], ['e']]);
    directory.unlink(first);
    expect(await refusal(recover(device, 2))).toMatchObject({ object: second });
    expect((await recover(device, 2, { boundary: 4 })).records).toEqual(['5:e']);
  });

  test('records of an epoch that no manifest knows are refused', async () => {
    const { device } = await written([['a']]);
    expect(await refusal(recover(device, 3, { sealedBefore: 0 }))).toMatchObject({
      detail: 'no manifest knows its epoch',
    });
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
    return { directory, device, manifest: { sealedBefore: 2, seals } };
  };

  test('count up to the seal, whatever follows', async () => {
    const { device, manifest } = await sealed();
    const seals = [{ epoch: 1, segment: 1, bytes: block + 33, lastRecord: 2 }];
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
    flip(directory, second, 72);
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
      object: first,
      detail: 'the segment is missing',
    });
    expect((await recover(device, 3, { ...manifest, boundary: 4 })).records).toEqual(['5:e']);
  });
});
