/** Accounts the memory of a program against its limit. The figures are estimates that protect the process. */

import { DatabaseError, fail } from '#failure';
import type { SpillSpace } from '#storage';
import type { MemoryPool } from './memory-pool.ts';
import type { OperatorProfile } from './operator-profile.ts';
import { ProgramSpill } from './spill/program-spill.ts';

/** Size of the first reservation of a program: small, so that many small programs fit into the pool together. */
const firstDrawBytes = 64 * 1024;
const drawBytes = 2 ** 20;
/** An operator that can spill keeps at most this part of the limit in memory, so that other operators have memory too. */
const shareOfLimit = 1 / 4;
/** Below this part of its share, an operator does not spill: writing so little to disk does not pay. */
const smallOfShare = 1 / 16;

export class Memory {
  readonly limitBytes: number;
  /** The spill files of the program; absent if operators cannot spill. */
  readonly spill: ProgramSpill | undefined;
  /** Bytes that an operator that can spill may keep in memory. */
  readonly shareBytes: number;
  usedBytes = 0;
  peakBytes = 0;
  /** Whether the program may use the part of the pool that is reserved for short programs. */
  isShort = false;
  /** The flag or the limit that set `limitBytes`. */
  readonly limitName: string;
  private readonly pool: MemoryPool | undefined;
  /** Bytes that the request reserves in addition to its program: for its body, its plan and its response. */
  private requestBytes = 0;
  private drawnBytes = 0;

  /** Without a pool, only the limit applies; without a space, nothing is spilled. */
  constructor(
    limitBytes: number,
    pool?: MemoryPool,
    space?: SpillSpace,
    limitName = '--program-memory-mib',
  ) {
    this.limitBytes = limitBytes;
    this.limitName = limitName;
    this.pool = pool;
    this.shareBytes = space?.holdBytes ?? limitBytes * shareOfLimit;
    this.spill = space === undefined ? undefined : new ProgramSpill(space, this.shareBytes);
  }

  /** Resets the account to the memory of the request plus `bytes`: the operators of a finished statement have released theirs. */
  keepOnly(bytes: number): void {
    this.usedBytes = this.requestBytes + bytes;
  }

  /** Resets the account to the bytes of an earlier time: the operators that ran since then have ended. */
  backTo(usedBytes: number): void {
    this.usedBytes = usedBytes;
  }

  /** Returns a reservation for one owner. */
  reservation(site: OperatorProfile): MemoryReservation {
    return new MemoryReservation(this, site);
  }

  /** Sets the bytes that the request reserves in addition to its program. Throws like `MemoryReservation.resize`. */
  holdRequest(bytes: number): void {
    this.usedBytes += bytes - this.requestBytes;
    this.requestBytes = bytes;
    const trouble = this.grow();
    if (trouble !== undefined) throw trouble;
  }

  /** Adds bytes that no operator releases before the end of the statement. Throws like `MemoryReservation.resize`. */
  hold(bytes: number): void {
    this.usedBytes += bytes;
    const trouble = this.grow();
    if (trouble !== undefined) throw trouble;
  }

  /** Takes from the pool the bytes that are used and not yet reserved there; returns a failure if it refuses them. */
  grow(): Error | undefined {
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    if (this.usedBytes > this.limitBytes) return overLimit(this);
    return this.usedBytes > this.drawnBytes ? this.draw() : undefined;
  }

  /** Returns to the pool the bytes that are no longer used. */
  shrink(): void {
    const kept = Math.min(this.drawnBytes, Math.ceil(this.usedBytes / drawBytes) * drawBytes);
    this.pool?.refill(this.drawnBytes - kept);
    this.drawnBytes = kept;
  }

  /** Closes all spill files and releases all memory. */
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

/** The failure of a program that needs more than the whole pool: a retry is of no use. */
function overPool({ limitBytes }: MemoryPool): Error {
  const mebibytes = Math.floor(limitBytes / 2 ** 20);
  return fail(
    'memory_limit',
    `the program needs more memory than all programs together may use (--memory-mib, ${mebibytes} MiB, a part of which is reserved for short programs)`,
  );
}

function overLimit({ limitBytes, limitName, spill }: Memory): Error {
  const mebibytes = Math.floor(limitBytes / 2 ** 20);
  const remedy =
    spill === undefined
      ? ', or let its operators spill to disk (--spill-path)'
      : ' (operators spill to disk, but this part cannot)';
  return fail(
    'memory_limit',
    `the program needs more memory than its limit of ${mebibytes} MiB (${limitName}): its body (counted several times), its operators and its response; request less data at a time${remedy}`,
  );
}

export class MemoryReservation {
  private readonly memory: Memory;
  private readonly site: OperatorProfile;
  private bytes = 0;

  constructor(memory: Memory, site: OperatorProfile) {
    this.memory = memory;
    this.site = site;
  }

  /**
   * Sets the bytes that the owner uses now. Throws `memory_limit` above the limit of the program, and `overloaded` if all programs together use
   * too much.
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
   * Like `resize`, for an owner that can spill. Returns false if it has to spill now; `bytes` are accounted in this case too. If the program
   * cannot spill, or `bytes` are too few to spill, it behaves like `resize`. The owner may keep `part` of the share of an operator.
   */
  fits(bytes: number, part = 1): boolean {
    const { memory } = this;
    const share = memory.shareBytes * part;
    const small = share * smallOfShare;
    if (memory.spill === undefined || bytes <= small) {
      this.resize(bytes);
      return true;
    }
    memory.usedBytes += bytes - this.bytes;
    this.bytes = bytes;
    return bytes <= share && memory.grow() === undefined;
  }
}

/** Adds the operator that exceeded the memory limit. If the pool is exhausted, the operator is not added, since other programs have caused it too. */
function placed(trouble: Error, site: OperatorProfile): Error {
  if (!(trouble instanceof DatabaseError) || trouble.failure.reason !== 'memory_limit')
    return trouble;
  return new DatabaseError({ ...trouble.failure, execution: site.context() });
}
