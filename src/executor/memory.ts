/** What a program holds in memory, against its limit. Estimates: the bound is meant to protect the process, not to be exact. */

import { DatabaseError, fail } from '#failure';
import type { SpillSpace } from '#storage';
import type { MemoryPool } from './memory-pool.ts';
import type { Site } from './site.ts';
import { ProgramSpill } from './spill/program-spill.ts';

/** A program draws this much at first, so that many small ones fit beside each other. */
const firstDrawBytes = 64 * 1024;
const drawBytes = 2 ** 20;
/** A holder that can put down what it holds keeps this part of the limit at most: others hold something beside it. */
const shareOfLimit = 1 / 4;
/** Less than this part of its share is not worth a trip to the disk. */
const smallOfShare = 1 / 16;

export class Memory {
  readonly limitBytes: number;
  /** What the program puts down on the local disk; absent: all is held. */
  readonly spill: ProgramSpill | undefined;
  /** What a holder that can put down what it holds keeps of it. */
  readonly shareBytes: number;
  usedBytes = 0;
  peakBytes = 0;
  /** A short program may draw on what the pool keeps for such. */
  isShort = false;
  private readonly pool: MemoryPool | undefined;
  /** Held by the request around the program: its body, its plan, its answer. */
  private requestBytes = 0;
  private drawnBytes = 0;

  /** Without a pool only the limit counts; without a space nothing is put down. */
  constructor(limitBytes: number, pool?: MemoryPool, space?: SpillSpace) {
    this.limitBytes = limitBytes;
    this.pool = pool;
    this.shareBytes = space?.holdBytes ?? limitBytes * shareOfLimit;
    this.spill = space === undefined ? undefined : new ProgramSpill(space, this.shareBytes);
  }

  /** Forgets all holders but what keeps `bytes`: the operators of a finished statement hold nothing any more. */
  keepOnly(bytes: number): void {
    this.usedBytes = this.requestBytes + bytes;
  }

  /** A share of the memory, for one holder. */
  holding(site: Site): Holding {
    return new Holding(this, site);
  }

  /** Says how much the request holds besides what its program does. Throws like `Holding.resize`. */
  holdRequest(bytes: number): void {
    this.usedBytes += bytes - this.requestBytes;
    this.requestBytes = bytes;
    const trouble = this.grow();
    if (trouble !== undefined) throw trouble;
  }

  /** Draws what is used and not drawn yet; a failure when it may not be had. */
  grow(): Error | undefined {
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    if (this.usedBytes > this.limitBytes) return overLimit(this.limitBytes);
    return this.usedBytes > this.drawnBytes ? this.draw() : undefined;
  }

  /** Gives back what was drawn and is not used any more. */
  shrink(): void {
    const kept = Math.min(this.drawnBytes, Math.ceil(this.usedBytes / drawBytes) * drawBytes);
    this.pool?.refill(this.drawnBytes - kept);
    this.drawnBytes = kept;
  }

  /** Gives everything back. */
  release(): void {
    this.spill?.closeAll();
    this.pool?.refill(this.drawnBytes);
    this.drawnBytes = 0;
    this.usedBytes = 0;
    this.requestBytes = 0;
  }

  private draw(): Error | undefined {
    const step = this.usedBytes <= firstDrawBytes ? firstDrawBytes : drawBytes;
    const wanted = Math.ceil(this.usedBytes / step) * step;
    const { pool } = this;
    if (pool !== undefined && wanted > pool.mostFor(this.isShort)) return overPool(pool);
    const refused = pool?.draw(wanted - this.drawnBytes, this.isShort);
    if (refused === undefined) this.drawnBytes = wanted;
    return refused;
  }
}

/** More than there is when nothing else runs: trying again is of no use. */
function overPool({ limitBytes }: MemoryPool): Error {
  const mebibytes = Math.floor(limitBytes / 2 ** 20);
  return fail(
    'memory_limit',
    `the program needs more memory than all programs together may hold (--memory-mib, ${mebibytes} MiB, a part of which is kept for short ones)`,
  );
}

function overLimit(limitBytes: number): Error {
  const mebibytes = Math.floor(limitBytes / 2 ** 20);
  return fail(
    'memory_limit',
    `the program needs more memory than its limit of ${mebibytes} MiB (--program-memory-mib): its body, several times over, its operators and its answer; ask for less at a time, or let sorts, joins and groups use the disk (--spill-path)`,
  );
}

export class Holding {
  private readonly memory: Memory;
  private readonly site: Site;
  private bytes = 0;

  constructor(memory: Memory, site: Site) {
    this.memory = memory;
    this.site = site;
  }

  /**
   * Says how much the holder holds now. Above the limit of the program that is a `memory_limit`; when all programs together hold too much,
   * `overloaded`.
   */
  resize(bytes: number): void {
    const { memory } = this;
    const grown = bytes - this.bytes;
    this.bytes = bytes;
    memory.usedBytes += grown;
    if (grown <= 0) return;
    const trouble = memory.grow();
    if (trouble !== undefined) throw placed(trouble, this.site);
  }

  /**
   * Like `resize`, for a holder that can put down what it holds: false, with `bytes` in account all the same, when that is to be done now. Where
   * nothing can be put down, or there is little, throws like `resize`.
   */
  fits(bytes: number): boolean {
    const { memory } = this;
    const small = memory.shareBytes * smallOfShare;
    if (memory.spill === undefined || bytes <= small) {
      this.resize(bytes);
      return true;
    }
    memory.usedBytes += bytes - this.bytes;
    this.bytes = bytes;
    return bytes <= memory.shareBytes && memory.grow() === undefined;
  }
}

/** A program above its own limit is told which operator took too much; above everybody's, that says nothing. */
function placed(trouble: Error, site: Site): Error {
  if (!(trouble instanceof DatabaseError) || trouble.failure.reason !== 'memory_limit')
    return trouble;
  return new DatabaseError({ ...trouble.failure, execution: site.context() });
}
