/** One file of a simulated disk: what programs see, and what would be left of it without power. */

import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';

export const sectorBytes = 512;

export class Inode {
  content = new Uint8Array();
  private durable = new Uint8Array();
  /** Sectors that the next sync makes durable. */
  private readonly dirty = new Set<number>();
  /** Sectors whose sync failed: they look written, and no later sync helps them. */
  private readonly lost = new Set<number>();
  /** How often a sync has failed: whoever has the file open by then is told by its own next one. */
  failedSyncs = 0;
  /** Where the last two durable writes began, newest first. */
  groups: readonly number[] = [];

  write(source: Uint8Array, position: number): void {
    const end = position + source.length;
    if (end > this.content.length) {
      const grown = new Uint8Array(end);
      grown.set(this.content);
      this.content = grown;
    }
    this.content.set(source, position);
    for (let at = Math.floor(position / sectorBytes); at * sectorBytes < end; at++) {
      this.dirty.add(at);
      this.lost.delete(at);
    }
  }

  sync(): void {
    if (this.dirty.size === 0 && this.content.length === this.durable.length) return;
    const durable = this.content.slice();
    for (const sector of this.lost) copySector(this.durable, durable, sector, 0, sectorBytes);
    this.durable = durable;
    this.dirty.clear();
  }

  failSync(): void {
    for (const sector of this.dirty) this.lost.add(sector);
    this.dirty.clear();
    this.failedSyncs++;
  }

  /** What is left when the power comes back. */
  afterPowerLoss(dice: Dice, faults: Faults): Inode {
    const left = new Inode();
    const isLong = this.content.length > this.durable.length && dice.chance(0.5);
    left.content = this.content.slice(0, isLong ? undefined : this.durable.length);
    for (const sector of this.lost) copySector(this.durable, left.content, sector, 0, sectorBytes);
    for (const sector of this.dirty) {
      if (faults.strikes('torn sector')) {
        // A disk writes a sector from either side.
        const at = dice.below(sectorBytes);
        if (dice.chance(0.5)) copySector(this.durable, left.content, sector, 0, at);
        else copySector(this.durable, left.content, sector, at, sectorBytes);
      } else if (faults.strikes('lost unsynced sector')) {
        copySector(this.durable, left.content, sector, 0, sectorBytes);
      }
    }
    left.durable = left.content.slice();
    left.groups = this.groups;
    return left;
  }

  clone(): Inode {
    const copy = new Inode();
    copy.content = this.content.slice();
    copy.durable = this.durable.slice();
    for (const sector of this.dirty) copy.dirty.add(sector);
    for (const sector of this.lost) copy.lost.add(sector);
    copy.groups = this.groups;
    copy.failedSyncs = this.failedSyncs;
    return copy;
  }
}

/** Copies bytes [start, end) of a sector; what `from` does not have is zeros. */
function copySector(
  from: Uint8Array,
  to: Uint8Array,
  sector: number,
  start: number,
  end: number,
): void {
  const at = sector * sectorBytes;
  const until = Math.min(to.length, at + end);
  for (let i = at + start; i < until; i++) to[i] = from[i] ?? 0;
}
