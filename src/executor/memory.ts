/** What a program holds in memory, against its limit. Estimates: the bound is meant to protect the process, not to be exact. */

import { fail } from '#failure';
import type { Site } from './site.ts';

export class Memory {
  readonly limitBytes: number;
  usedBytes = 0;
  peakBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Forgets all holders but what keeps `bytes`: the operators of a finished statement hold nothing any more. */
  keepOnly(bytes: number): void {
    this.usedBytes = bytes;
  }

  /** A share of the memory, for one holder. */
  holding(site: Site): Holding {
    return new Holding(this, site);
  }
}

export class Holding {
  private readonly memory: Memory;
  private readonly site: Site;
  private bytes = 0;

  constructor(memory: Memory, site: Site) {
    this.memory = memory;
    this.site = site;
  }

  /** Says how much the holder holds now. Above the limit of the program that is a `memory_limit`. */
  resize(bytes: number): void {
    const memory = this.memory;
    memory.usedBytes += bytes - this.bytes;
    this.bytes = bytes;
    if (memory.usedBytes <= memory.peakBytes) return;
    memory.peakBytes = memory.usedBytes;
    if (memory.usedBytes > memory.limitBytes) this.refuse();
  }

  private refuse(): never {
    const mebibytes = Math.floor(this.memory.limitBytes / 2 ** 20);
    throw fail('memory_limit', `the program needs more memory than its limit of ${mebibytes} MiB`, {
      execution: this.site.context(),
    });
  }
}
