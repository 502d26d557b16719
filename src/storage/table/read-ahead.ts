/**
 * Fetches what a scan over a table that is not local is about to read: a few stretches of neighbouring blocks at a time, each with one
 * read. Blocks are handed out in the order of the scan.
 */

import type { Pending } from '#base';
import type { Block } from './block.ts';
import type { IndexPartition } from './index-partition.ts';
import type { TableSections } from './table-sections.ts';

export interface ReadAheadBounds {
  /** Of one fetch; a larger block is fetched all the same. */
  readonly scanReadAheadBytes: number;
  /** Under way at the same time. */
  readonly scanFetchesMax: number;
}

/** Where the scan ends: the last block of a partition that it may want. */
type LastWanted = (partition: IndexPartition) => number;

interface Stretch {
  readonly partition: IndexPartition;
  /** Blocks [from, to] of the partition. */
  readonly from: number;
  readonly to: number;
  /** Blocks of the stretch once they are there, by index - from. */
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

  /** Block `index` of `partition`, the next one of the scan, or a wait. */
  block(partition: IndexPartition, index: number): Block | Pending {
    const { stretches } = this;
    while (stretches.length > 0 && !holds(stretches[0] as Stretch, partition, index)) {
      stretches.shift();
    }
    this.plan(partition, index);
    const { blocks, from, arrival } = stretches[0] as Stretch;
    return blocks === undefined ? (arrival as Pending) : (blocks[index - from] as Block);
  }

  /** Starts as many fetches as there may be. */
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
          // A caller that asks again gets another read.
          this.stretches = [];
          throw error;
        },
      ),
    };
    // A scan may end before it gets here; one that does get here sees the failure.
    stretch.arrival?.catch(() => {});
    return stretch;
  }

  /** The farthest block, from `index` on, that one fetch may take. */
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
