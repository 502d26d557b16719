/** Room on a real disk for what programs put down: bounded, and gone with whoever holds it. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openSpillSpace, type SpillFile, type SpillSpace, StorageError } from '#storage';

let place = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-spill-space-'));
});
afterAll(() => rmSync(place, { recursive: true }));

const { random } = systemWorld();
const opened = (space: SpillSpace) => space.open() as SpillFile;
const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);

test('what is put down can be read once it is settled, and its file has no name', async () => {
  const path = join(place, 'made', 'when', 'needed');
  const space = openSpillSpace(path, random, { limitBytes: 1000 });
  const file = opened(space);
  expect([file.append(bytes(100, 1)), file.append(bytes(50, 2))]).toEqual([0, 100]);
  await file.settled();
  const target = new Uint8Array(60);
  file.read(target, 90);
  expect(target).toEqual(Uint8Array.of(...bytes(10, 1), ...bytes(50, 2)));
  expect(readdirSync(path)).toEqual([]);
  expect(space).toMatchObject({ files: 1, usedBytes: 150, writtenBytes: 150 });
  file.close();
  file.close();
  await new Promise(setImmediate);
  expect(space).toMatchObject({ files: 0, usedBytes: 0, peakBytes: 150, writtenBytes: 150 });
});

test('all files together have so much room, and what one gives back another one takes', async () => {
  const space = openSpillSpace(place, random, { limitBytes: 1000 });
  const [one, other] = [opened(space), opened(space)];
  one.append(bytes(600, 1));
  expect(() => other.append(bytes(401, 1))).toThrow(StorageError);
  expect(() => other.append(bytes(401, 1))).toThrow('no space left');
  other.append(bytes(400, 1));
  expect(space.refused).toBe(2);
  one.close();
  await other.settled();
  await new Promise(setImmediate);
  other.append(bytes(600, 1));
  expect(space.usedBytes).toBe(1000);
  other.close();
});

test('so many files are open and no more', async () => {
  const space = openSpillSpace(place, random, { limitBytes: 1000, filesMax: 2 });
  const [one, other] = [opened(space), opened(space)];
  expect([space.open(), space.refused]).toEqual([undefined, 1]);
  one.close();
  const third = opened(space);
  expect(space.files).toBe(2);
  for (const file of [other, third]) file.close();
});

test('512 files are open at most, unless another number is given', () => {
  const space = openSpillSpace(place, random, { limitBytes: 1000 });
  const files = Array.from({ length: 512 }, () => opened(space));
  expect([space.open(), space.files, space.refused]).toEqual([undefined, 512, 1]);
  for (const file of files) file.close();
});

test('a file that is closed while it is written goes when that has ended', async () => {
  const space = openSpillSpace(place, random, { limitBytes: 1 << 24 });
  const file = opened(space);
  for (let i = 0; i < 8; i++) file.append(bytes(1 << 20, i));
  expect(file.crowded()).toBeInstanceOf(Promise);
  const crowded = file.crowded();
  file.close();
  expect(space.files).toBe(1);
  await crowded;
  await new Promise(setImmediate);
  expect(space).toMatchObject({ files: 0, usedBytes: 0 });
});

test('a place that takes no files is refused at once', () => {
  const occupied = join(place, 'a file');
  writeFileSync(occupied, '');
  const open = () => openSpillSpace(occupied, random, { limitBytes: 1000 });
  expect(open).toThrow(StorageError);
});
