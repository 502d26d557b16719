/** Room on a real disk for what programs put down: bounded, and gone with whoever holds it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openSpillSpace, type SpillFile, type SpillSpace, StorageError } from '#storage';
import { SpillDirectory } from '../../support/spill-directory.ts';

let place = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-spill-space-'));
});
afterAll(() => rmSync(place, { recursive: true }));

const { random } = systemWorld();
const opened = (space: SpillSpace) => space.open() as SpillFile;
const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);

/** Until only so many files are open: they are closed in the background. */
async function closedTo(space: SpillSpace, files: number): Promise<void> {
  while (space.files > files) await new Promise(setImmediate);
}

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
  await closedTo(space, 0);
  expect(space).toMatchObject({ files: 0, usedBytes: 0, peakBytes: 150, writtenBytes: 150 });
});

test('a directory that a cleaner has removed is made again, but not the one above it', () => {
  const above = join(place, 'cleaned');
  const path = join(above, 'spill');
  const space = openSpillSpace(path, random, { limitBytes: 1000 });
  rmSync(path, { recursive: true });
  opened(space).close();
  expect(readdirSync(above)).toEqual(['spill']);
  rmSync(above, { recursive: true });
  expect(() => space.open()).toThrow(StorageError);
  expect(existsSync(above)).toBe(false);
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
  await closedTo(space, 1);
  other.append(bytes(600, 1));
  expect(space.usedBytes).toBe(1000);
  other.close();
});

test('so many files are open and no more', async () => {
  const space = openSpillSpace(place, random, { limitBytes: 1000, filesMax: 2 });
  const [one, other] = [opened(space), opened(space)];
  expect([space.open(), space.refused]).toEqual([undefined, 1]);
  one.close();
  await closedTo(space, 1);
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
  await closedTo(space, 0);
  expect(space).toMatchObject({ files: 0, usedBytes: 0 });
});

test('a file keeps its place and its bytes until its close has ended', () => {
  const directory = new SpillDirectory();
  const space = directory.space({ limitBytes: 1000, filesMax: 1 });
  directory.closes = [];
  const file = opened(space);
  file.close();
  expect(directory.openFiles).toBe(0);
  expect(space.open()).toBeUndefined();
  expect(space.files).toBe(1);
  directory.closes.pop()?.();
  expect(space.files).toBe(0);
  expect(space.open()).toBeDefined();
});

test('a place that takes no files is refused at once', () => {
  const occupied = join(place, 'a file');
  writeFileSync(occupied, '');
  const open = () => openSpillSpace(occupied, random, { limitBytes: 1000 });
  expect(open).toThrow(StorageError);
});

describe('the limit by free space', () => {
  const mib = 1 << 20;
  /** A file system with `free` bytes, which everything that is claimed takes away. */
  function spaceOn(disk: { free: number; looks: number }, options: object): SpillSpace {
    const freeBytes = () => {
      disk.looks++;
      return disk.free;
    };
    return openSpillSpace(place, random, { limitBytes: undefined, freeBytes, ...options });
  }
  const claim = (disk: { free: number }, space: SpillSpace, bytes: number) => {
    const isTaken = space.take(bytes);
    if (isTaken) disk.free -= bytes;
    return isTaken;
  };

  test('is a quarter of what would be free, however it is taken', () => {
    const disk = { free: 100 * mib, looks: 0 };
    const space = spaceOn(disk, {});
    expect(space.limitBytes).toBe(25 * mib);
    for (let i = 0; i < 25; i++) expect(claim(disk, space, mib)).toBe(true);
    expect(claim(disk, space, 1)).toBe(false);
    expect(space).toMatchObject({ usedBytes: 25 * mib, limitBytes: 25 * mib, refused: 1 });
    // What others free is seen at the next claim.
    disk.free += 40 * mib;
    expect(claim(disk, space, 10 * mib)).toBe(true);
  });

  test('leaves the reserve of the store, whatever the limit is', () => {
    const disk = { free: 100 * mib, looks: 0 };
    const space = spaceOn(disk, { limitBytes: 90 * mib, reserveBytes: 60 * mib });
    expect(space.limitBytes).toBe(40 * mib);
    for (let i = 0; i < 40; i++) expect(claim(disk, space, mib)).toBe(true);
    expect(claim(disk, space, mib)).toBe(false);
    expect(disk.free).toBe(60 * mib);
  });

  test('leaves most of a small reserve on a disk that others fill', () => {
    const disk = { free: 100 * mib, looks: 0 };
    const space = spaceOn(disk, { reserveBytes: 4 * mib });
    disk.free = 5 * mib;
    while (claim(disk, space, mib / 64)) {}
    expect(disk.free).toBeGreaterThan(3 * mib - mib / 32);
  });

  test('follows a disk that others fill, and is measured rarely', () => {
    const disk = { free: 1000 * mib, looks: 0 };
    const space = spaceOn(disk, { reserveBytes: 100 * mib });
    for (let i = 0; i < 64 * 20; i++) expect(claim(disk, space, mib / 64)).toBe(true);
    expect(disk.looks).toBeLessThan(6);
    disk.free = 100 * mib + mib;
    let taken = 0;
    while (claim(disk, space, mib)) taken++;
    // Up to the next measurement.
    expect(taken).toBeLessThan(10);
    expect(space.limitBytes).toBeLessThanOrEqual(space.usedBytes);
  });
});
