/**
 * Numbers safe integers 0, 1, 2, … in their order of arrival. A table that grows moves all of its keys in one go, so a large one splits
 * once into many.
 */

import { IntTable } from './int-table.ts';

const partBits = 8;
/** Keys of the one table that becomes many. */
const splitAt = 2 ** 14;
const multiplier = 0xc2b2ae35;

export class IntCodes {
  size = 0;
  private whole = new IntTable();
  private parts: readonly IntTable[] | undefined;

  get bytes(): number {
    if (this.parts === undefined) return this.whole.bytes;
    let bytes = 0;
    for (let i = 0; i < this.parts.length; i++) bytes += (this.parts[i] as IntTable).bytes;
    return bytes;
  }

  /** The code of `key`, or -1. */
  find(key: number): number {
    return this.parts === undefined ? this.whole.find(key) : this.partOf(key).find(key);
  }

  /** The code of `key`; a new key gets `fresh`. */
  findOrAdd(key: number, fresh: number): number {
    const table = this.parts === undefined ? this.whole : this.partOf(key);
    const code = table.findOrAdd(key, fresh);
    if (code === fresh && ++this.size === splitAt) this.split();
    return code;
  }

  private partOf(key: number): IntTable {
    const high = Math.imul((key / 0x100000000) | 0, multiplier);
    const which = Math.imul((key | 0) ^ high ^ (key >>> 15), multiplier) >>> (32 - partBits);
    return (this.parts as readonly IntTable[])[which] as IntTable;
  }

  private split(): void {
    const { whole } = this;
    const bits = Math.log2(splitAt) - partBits + 1;
    this.parts = Array.from({ length: 2 ** partBits }, () => new IntTable(bits));
    whole.each((key, code) => this.partOf(key).findOrAdd(key, code));
    this.whole = new IntTable();
  }
}
