/**
 * Estimates which blocks of an SSTable a read of a range would have to fetch, by sampling them
 * without reading or waiting.
 */

import { storeDefaults } from '../contract/limits.ts';
import type { KeyRange } from '../contract/store.ts';
import type { RemoteBlocks } from '../cursor/source.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import { clampRange } from './clamp-range.ts';
import type { ReadAheadBounds } from './read-ahead.ts';
import type { TableSections } from './table-sections.ts';
import { findPartition, type PartitionReference } from './top-index.ts';

/**
 * Blocks of one partition that the range may need: numbers [first, end) of the SSTable, in bytes
 * [at, to) of its file.
 */
interface Stretch {
  readonly first: number;
  readonly end: number;
  readonly at: number;
  readonly to: number;
}

/**
 * Estimates the remote blocks of a range from at most `looks` sampled blocks. Returns `undefined`
 * if the SSTable is on this machine or contains nothing of the range.
 */
export function remoteWithin(
  sections: TableSections,
  entry: TableEntry,
  { range, looks, readAhead }: RemoteQuestion,
): RemoteBlocks | undefined {
  const { remote } = sections;
  const clamped = clampRange(range, entry);
  if (remote === undefined || clamped === undefined) return undefined;
  const stretches = stretchesIn(sections, entry, clamped);
  const blocks = stretches.reduce((sum, { first, end }) => sum + end - first, 0);
  const bytes = stretches.reduce((sum, { at, to }) => sum + to - at, 0);
  if (blocks === 0) return undefined;
  const count = Math.min(looks, blocks);
  let cold = 0;
  let which = 0;
  let before = 0;
  for (let look = 0; look < count; look++) {
    const nth = Math.floor(((look + 0.5) * blocks) / count);
    let stretch = stretches[which] as Stretch;
    while (nth >= before + stretch.end - stretch.first) {
      before += stretch.end - stretch.first;
      stretch = stretches[++which] as Stretch;
    }
    const { first, end, at, to } = stretch;
    const offset = at + Math.floor(((nth - before) * (to - at)) / (end - first));
    if (!sections.isInMemory(first + nth - before) && !remote.isLocal(offset)) cold++;
  }
  const { partBytes = 0 } = remote;
  const pieces = partBytes === 0 ? blocks : Math.ceil(bytes / partBytes);
  const share = cold / count;
  const { scanReadAheadBytes, scanFetchesMax } = readAhead;
  const fetchBytes = Math.max(scanReadAheadBytes, partBytes);
  // Several runs request the same part, and wait for the same fetch.
  const atOnce = Math.max(1, (scanReadAheadBytes * scanFetchesMax) / fetchBytes);
  const fetches = Math.max(1, bytes / fetchBytes);
  // Expected number of fetches that contain a cold piece, if cold pieces are distributed at random.
  const needed = fetches * (1 - (1 - share) ** Math.max(1, pieces / fetches));
  return { pieces, cold: pieces * share, scanWaits: needed / atOnce };
}

interface RemoteQuestion {
  readonly range: KeyRange;
  readonly looks: number;
  readonly readAhead: ReadAheadBounds;
}

function stretchesIn(
  sections: TableSections,
  entry: TableEntry,
  range: KeyRange,
): readonly Stretch[] {
  const { partitions } = sections;
  if (partitions === undefined) return unopened(entry, range);
  const stretches: Stretch[] = [];
  const last = Math.min(findPartition(partitions, range.to as Uint8Array), partitions.length - 1);
  for (let i = findPartition(partitions, range.from); i <= last; i++) {
    const { at: end, firstBlock } = partitions[i] as PartitionReference;
    const before = partitions[i - 1];
    const start = before === undefined ? 0 : before.at + before.bytes;
    const known = sections.knownPartition(i);
    if (known === undefined) {
      const next = partitions[i + 1]?.firstBlock ?? firstBlock + blocksOf(end - start);
      stretches.push({ first: firstBlock, end: next, at: start, to: end });
      continue;
    }
    const from = known.find(range.from);
    const to = Math.min(known.find(range.to as Uint8Array) + 1, known.blocks);
    if (from >= to) continue;
    const stretch = { at: known.blockAt(from), to: known.blockAt(to) };
    stretches.push({ first: firstBlock + from, end: firstBlock + to, ...stretch });
  }
  return stretches;
}

/**
 * Returns the estimated blocks of an SSTable of which nothing has been read yet. The size of a part
 * of it is unknown, so half of the file is assumed.
 */
function unopened({ smallest, bytes }: TableEntry, { from }: KeyRange): readonly Stretch[] {
  const to = from === smallest ? bytes : Math.ceil(bytes / 2);
  return [{ first: 0, end: blocksOf(to), at: 0, to }];
}

function blocksOf(bytes: number): number {
  return Math.ceil(bytes / storeDefaults.blockBytes);
}
