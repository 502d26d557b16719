/**
 * Prefetches blocks for a scan over a remote SSTable: a few runs of neighboring blocks at a time,
 * each with one read. Blocks are returned in the order of the scan.
 */

import type { Pending } from '#base';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';

export interface ReadAheadBounds {
  /** Size of one fetch in bytes. A larger block is fetched nevertheless. */
  readonly scanReadAheadBytes: number;
  /** Number of concurrent fetches. */
  readonly scanFetchesMax: number;
}

/** Returns the last block of a partition that the scan may need. */
type LastWanted = (partition: IndexPartition) => number;

interface Stretch {
  readonly partition: IndexPartition;
  /** Blocks [from, to] of the partition. */
  readonly from: number;
  readonly to: number;
  /** The blocks of the run, indexed by index - from; `undefined` until they have been read. */
  blocks: readonly Block[] | undefined;
  readonly arrival: Pending | undefined;
}

export class ReadAhead {
  private readonly sections: TableSections;
  private readonly bounds: ReadAheadBounds;
  private readonly step: 1 | -1;
  private readonly lastWanted: LastWanted;
  private readonly fillsCache: boolean;
  private stretches: Stretch[] = [];

  constructor(
    sections: TableSections,
    bounds: ReadAheadBounds,
    scan: { readonly isForward: boolean; readonly lastWanted: LastWanted; fillsCache: boolean },
  ) {
    this.sections = sections;
    this.bounds = bounds;
    this.step = scan.isForward ? 1 : -1;
    this.lastWanted = scan.lastWanted;
    this.fillsCache = scan.fillsCache;
  }

  /** Returns block `index` of `partition`, which must be the next one of the scan, or a wait. */
  block(partition: IndexPartition, index: number): Block | Pending {
    const { stretches } = this;
    while (stretches.length > 0 && !holds(stretches[0] as Stretch, partition, index)) {
      stretches.shift();
    }
    this.plan(partition, index);
    const { blocks, from, arrival } = stretches[0] as Stretch;
    return blocks === undefined ? (arrival as Pending) : (blocks[index - from] as Block);
  }

  /** Starts fetches up to the limit. */
  private plan(partition: IndexPartition, index: number): void {
    const { stretches, step } = this;
    const last = this.lastWanted(partition);
    while (stretches.length < this.bounds.scanFetchesMax) {
      const newest = stretches.at(-1);
      const next = newest === undefined ? index : (step > 0 ? newest.to : newest.from) + step;
      if (
        newest !== undefined &&
        (next < 0 || next >= partition.blocks || next * step > last * step)
      )
        return;
      stretches.push(this.begin(partition, next, last));
    }
  }

  private begin(partition: IndexPartition, index: number, last: number): Stretch {
    const cached = this.sections.cachedBlock(partition, index);
    if (cached !== undefined) {
      return { partition, from: index, to: index, blocks: [cached], arrival: undefined };
    }
    const end = this.endOf(partition, index, last);
    const from = Math.min(index, end);
    const to = Math.max(index, end);
    const read = this.sections.readBlocks(partition, { from, to }, this.fillsCache);
    const stretch: Stretch = {
      partition,
      from,
      to,
      blocks: undefined,
      arrival: read.then(
        (blocks) => {
          stretch.blocks = blocks;
        },
        (error) => {
          // The next call starts another read.
          this.stretches = [];
          throw error;
        },
      ),
    };
    // The scan may end before it reaches these blocks. If it does reach them, it receives the
    // failure.
    stretch.arrival?.catch(() => {});
    return stretch;
  }

  /** Returns the last block, starting with `index`, that one fetch may include. */
  private endOf(partition: IndexPartition, index: number, last: number): number {
    const { step } = this;
    let bytes = partition.blockBytes(index);
    let end = index;
    for (let at = index + step; at * step <= last * step; at += step) {
      if (at < 0 || at >= partition.blocks) break;
      bytes += partition.blockBytes(at);
      if (bytes > this.bounds.scanReadAheadBytes) break;
      if (this.sections.hasBlock(partition, at)) break;
      end = at;
    }
    return end;
  }
}

function holds(stretch: Stretch, partition: IndexPartition, index: number): boolean {
  return stretch.partition === partition && stretch.from <= index && index <= stretch.to;
}
