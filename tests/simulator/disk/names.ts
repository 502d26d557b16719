/** Names of a simulated disk: changes are visible at once, and durable when their directory was synced. */

import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';
import type { Inode } from './inode.ts';

/** Undefined removes the name. */
export type NameChange = readonly [path: string, inode: Inode | undefined];

/** Changes that a crash parts no more. */
interface NameStep {
  readonly serial: number;
  readonly changes: readonly NameChange[];
}

const stepsMax = 100;

/** Whether `directory` is where `path` is. */
export function isIn(path: string, directory: string): boolean {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return directory === '';
  return slash === directory.length && path.startsWith(directory);
}

export class Names {
  readonly visible = new Map<string, Inode>();
  readonly directories = new Set<string>(['']);
  private readonly durable = new Map<string, Inode>();
  private readonly durableDirectories = new Set<string>(['']);
  private steps: NameStep[] = [];
  /** The number of the last step. */
  serial = 0;

  change(changes: readonly NameChange[]): void {
    apply(this.visible, changes);
    this.steps.push({ serial: ++this.serial, changes });
    // A file system writes its journal now and then without being asked.
    const oldest = this.steps.length > stepsMax ? this.steps.shift() : undefined;
    if (oldest !== undefined) apply(this.durable, oldest.changes);
  }

  /** Makes the changes in `path` up to `serial` durable. */
  sync(path: string, serial: number): void {
    this.steps = this.steps.filter((step) => {
      const isMeant = step.changes.some(([name]) => isIn(name, path));
      if (!isMeant || step.serial > serial) return true;
      apply(this.durable, step.changes);
      return false;
    });
    for (const directory of this.directories) {
      if (directory !== '' && isIn(directory, path)) this.durableDirectories.add(directory);
    }
  }

  afterPowerLoss(dice: Dice, faults: Faults): Names {
    const left = new Names();
    const survivors = new Map(this.durable);
    for (const { changes } of this.steps) {
      if (!faults.strikes('lost name')) apply(survivors, changes);
    }
    for (const directory of this.directories) {
      if (this.durableDirectories.has(directory) || dice.chance(0.5)) {
        left.directories.add(directory);
        left.durableDirectories.add(directory);
      }
    }
    const inodes = new Map<Inode, Inode>();
    for (const [path, inode] of survivors) {
      if (!left.directories.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))) continue;
      const after = inodes.get(inode) ?? inode.afterPowerLoss(dice, faults);
      inodes.set(inode, after);
      left.visible.set(path, after);
      left.durable.set(path, after);
    }
    return left;
  }

  clone(): Names {
    const copy = new Names();
    const inodes = new Map<Inode | undefined, Inode | undefined>([[undefined, undefined]]);
    const cloned = (inode: Inode | undefined): Inode | undefined => {
      if (!inodes.has(inode)) inodes.set(inode, inode?.clone());
      return inodes.get(inode);
    };
    for (const [path, inode] of this.visible) copy.visible.set(path, cloned(inode) as Inode);
    for (const [path, inode] of this.durable) copy.durable.set(path, cloned(inode) as Inode);
    for (const directory of this.directories) copy.directories.add(directory);
    for (const directory of this.durableDirectories) copy.durableDirectories.add(directory);
    copy.steps = this.steps.map(({ serial, changes }) => ({
      serial,
      changes: changes.map(([path, inode]): NameChange => [path, cloned(inode)]),
    }));
    copy.serial = this.serial;
    return copy;
  }
}

function apply(names: Map<string, Inode>, changes: readonly NameChange[]): void {
  for (const [path, inode] of changes) {
    if (inode === undefined) names.delete(path);
    else names.set(path, inode);
  }
}
