/**
 * A simulated disk, which several processes may use at the same time. It forgets what was not synced when the power goes: sector
 * by sector, name by name.
 */

import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';
import { Names } from './names.ts';

export class Disk {
  names = new Names();
  /** Changes at each power loss: what was under way then never arrives. */
  boot = 0;
  /** How many bytes all files together may have. */
  roomBytes = Number.POSITIVE_INFINITY;

  get usedBytes(): number {
    let bytes = 0;
    for (const inode of new Set(this.names.visible.values())) bytes += inode.content.length;
    return bytes;
  }

  losePower(dice: Dice, faults: Faults): void {
    this.boot++;
    this.names = this.names.afterPowerLoss(dice, faults);
  }

  /** As it is at this moment, in the place of what processes have open. */
  replace(): void {
    this.names = this.names.clone();
  }

  /** The file `path` has no name until what is returned is called. */
  take(path: string): () => void {
    const inode = this.names.visible.get(path);
    this.names.change([[path, undefined]]);
    return () => this.names.change([[path, inode]]);
  }

  clone(): Disk {
    const copy = new Disk();
    copy.names = this.names.clone();
    copy.roomBytes = this.roomBytes;
    return copy;
  }
}
