/** Reads that give what was never written there: bits flipped, another place, or nothing yet. */

import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';
import type { Life } from '../life.ts';
import type { Disk } from './disk.ts';
import type { Inode } from './inode.ts';

export interface FaultyRead {
  readonly disk: Disk;
  readonly life: Life;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly path: string;
  readonly inode: Inode;
  readonly target: Uint8Array;
  readonly position: number;
}

/** Returns how many bytes there were. */
export function faultyRead(read: FaultyRead): number {
  const { faults, dice, inode, life, target, position } = read;
  const part = inode.content.subarray(position, position + target.length);
  target.set(part);
  if (part.length === 0) return 0;
  const isLog = read.path.startsWith('wal/');
  const shown = target.subarray(0, part.length);
  const flippable = Math.min(part.length, isLog ? safeLogBytes(inode) - position : part.length);
  if (flippable > 0 && faults.strikes('flipped read')) {
    const at = dice.below(flippable);
    shown[at] = (shown[at] as number) ^ (1 << dice.below(8));
    life.faults++;
  } else if (!isLog && faults.strikes('misdirected read')) {
    misdirect(read, shown);
    life.faults++;
  } else if (!isLog && faults.strikes('stale read')) {
    shown.fill(0);
    life.faults++;
  }
  return part.length;
}

/**
 * A damaged group at the very end of a log cannot be told from one that was torn when the power went, so nothing is
 * damaged from the last group but one on. That one has surely been acknowledged.
 */
function safeLogBytes(inode: Inode): number {
  return inode.groups[1] ?? 0;
}

function misdirect({ dice, disk, path, inode, position }: FaultyRead, shown: Uint8Array): void {
  const directory = path.slice(0, path.indexOf('/') + 1);
  const others = [...disk.names.visible].filter(([name]) => name.startsWith(directory));
  const [, other] = others[dice.below(others.length)] ?? [path, inode];
  const from = other === inode ? dice.below(inode.content.length) : position;
  shown.fill(0);
  shown.set(other.content.subarray(from, from + shown.length));
}
