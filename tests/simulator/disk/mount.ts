/** A disk as one process sees it: every operation takes its time, may fail before or after its effect, and may read what is not there. */

import type { DirectoryIo, IoFile, OpenMode } from '../../../src/storage/object/directory-io.ts';
import type { Dice } from '../dice.ts';
import type { Faults } from '../faults.ts';
import type { Life } from '../life.ts';
import type { Scheduler } from '../scheduler.ts';
import { PowerLoss } from '../wrong.ts';
import type { Disk } from './disk.ts';
import { faultyRead } from './faulty-read.ts';
import { Inode } from './inode.ts';
import { isIn } from './names.ts';

export interface MountParts {
  readonly disk: Disk;
  readonly life: Life;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly dice: Dice;
  /** Told when the process has claimed an epoch. */
  readonly claimed: (epoch: number) => void;
  /** How long one step of an operation takes. */
  readonly latencyMs: () => number;
}

export class Mount implements DirectoryIo {
  private readonly parts: MountParts;

  constructor(parts: MountParts) {
    this.parts = parts;
  }

  private get names() {
    return this.parts.disk.names;
  }

  open(path: string, mode: OpenMode): IoFile | undefined {
    this.alive();
    const inode = this.names.visible.get(path);
    if (mode !== 'create') return inode && this.file(path, inode);
    if (inode !== undefined) return undefined;
    const created = new Inode();
    this.effect(() => this.names.change([[path, created]]));
    return this.file(path, created);
  }

  sizeOf(path: string): number | undefined {
    this.alive();
    this.mayFail('read error');
    return this.names.visible.get(path)?.content.length;
  }

  link(from: string, to: string): boolean {
    this.alive();
    if (this.names.visible.has(to)) return false;
    const inode = this.existing(from);
    this.effect(() => {
      this.names.change([[to, inode]]);
      if (to.startsWith('epoch/')) this.parts.claimed(Number(to.slice('epoch/'.length)));
    });
    return true;
  }

  rename(from: string, to: string): void {
    this.alive();
    const inode = this.existing(from);
    this.effect(() =>
      this.names.change([
        [from, undefined],
        [to, inode],
      ]),
    );
  }

  unlink(path: string): boolean {
    this.alive();
    if (!this.names.visible.has(path)) return false;
    this.effect(() => this.names.change([[path, undefined]]));
    return true;
  }

  remove(path: string): Promise<boolean> {
    return this.later('unlink', () => {
      if (!this.names.visible.has(path)) return false;
      this.effect(() => this.names.change([[path, undefined]]));
      return true;
    });
  }

  makeDirectory(path: string): boolean {
    this.alive();
    if (this.names.directories.has(path)) return false;
    this.effect(() => this.names.directories.add(path));
    return true;
  }

  entries(path: string): readonly string[] {
    this.alive();
    this.mayFail('read error');
    const { visible, directories } = this.names;
    const from = path === '' ? 0 : path.length + 1;
    const found: string[] = [];
    for (const name of visible.keys()) if (isIn(name, path)) found.push(name.slice(from));
    for (const name of directories) {
      if (name !== '' && isIn(name, path)) found.push(`${name.slice(from)}/`);
    }
    return found;
  }

  syncDirectory(path: string): Promise<void> {
    const { dice } = this.parts;
    const { serial } = this.names;
    return this.later('sync names', () => {
      this.mayFail('failed directory sync');
      const upTo = dice.chance(0.5) ? serial : this.names.serial;
      this.effect(() => this.names.sync(path, upTo));
    });
  }

  private file(path: string, inode: Inode): IoFile {
    const { parts } = this;
    const write = (source: Uint8Array, position: number): Promise<void> => {
      const copy = source.slice();
      return this.later('write', () => this.write(inode, copy, position));
    };
    const known = { failedSyncs: inode.failedSyncs };
    const sync = (): Promise<void> => this.later('sync', () => this.sync(inode, known));
    return {
      bytes: inode.content.length,
      isAt: (at) => {
        this.alive();
        this.mayFail('read error');
        return this.names.visible.get(at) === inode;
      },
      read: (target, position) => {
        this.alive();
        this.mayFail('read error');
        return faultyRead({ ...parts, path, inode, target, position });
      },
      write,
      writeDurably: async (source, position) => {
        await write(source, position);
        await sync();
        inode.groups = position === 0 ? [0] : [position, ...inode.groups].slice(0, 2);
      },
      sync,
      close: () => {},
      discard: (closed) => closed(),
    };
  }

  private write(inode: Inode, source: Uint8Array, position: number): void {
    const { dice, faults, life } = this.parts;
    const growth = position + source.length - inode.content.length;
    if (growth > 0 && (faults.strikes('no space') || this.isFull(growth))) {
      life.faults++;
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    }
    const part = (): void => inode.write(source.subarray(0, dice.below(source.length)), position);
    if (faults.strikes('torn write')) {
      part();
      life.faults++;
      throw inputOutput();
    }
    this.effect(() => inode.write(source, position), part);
  }

  private isFull(growth: number): boolean {
    const { disk } = this.parts;
    if (disk.roomBytes === Number.POSITIVE_INFINITY) return false;
    return disk.usedBytes + growth > disk.roomBytes;
  }

  /** A failure is told once to everybody who has the file open, as Linux does, whoever's sync it was. */
  private sync(inode: Inode, known: { failedSyncs: number }): void {
    const { faults, life } = this.parts;
    if (faults.strikes('failed sync')) inode.failSync();
    else this.effect(() => inode.sync());
    if (known.failedSyncs === inode.failedSyncs) return;
    known.failedSyncs = inode.failedSyncs;
    life.faults++;
    throw inputOutput();
  }

  private existing(path: string): Inode {
    const inode = this.names.visible.get(path);
    if (inode === undefined) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
    return inode;
  }

  /** An operation that the system carries out some time after it was asked, and answers some time after that. */
  private later<T>(name: string, carryOut: () => T): Promise<T> {
    this.alive();
    const { scheduler, disk, life, dice, latencyMs } = this.parts;
    const { boot } = disk;
    return new Promise<T>((resolve, reject) => {
      scheduler.after(latencyMs(), undefined, name, () => {
        // Asked for by a process that was killed since: it may still happen.
        if (disk.boot !== boot || (life.isDead && dice.chance(0.5))) return;
        let answer: () => void;
        try {
          const result = carryOut();
          answer = () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        scheduler.after(latencyMs(), life, `${name} done`, answer);
      });
    });
  }

  /** One effect on the disk: fails before it, after it, or not; or the power goes. */
  private effect(whole: () => void, part: () => void = () => {}): void {
    const { dice, life } = this.parts;
    this.mayFail('error before effect');
    if (life.isLastEffect()) {
      if (dice.chance(0.5)) whole();
      else part();
      life.kill();
      throw new PowerLoss('the power is gone');
    }
    whole();
    this.mayFail('lost reply');
  }

  private mayFail(
    kind: 'error before effect' | 'lost reply' | 'read error' | 'failed directory sync',
  ) {
    const { faults, life } = this.parts;
    if (!faults.strikes(kind)) return;
    life.faults++;
    throw inputOutput();
  }

  private alive(): void {
    if (this.parts.life.isDead) throw new PowerLoss('the power is gone');
  }
}

function inputOutput(): Error {
  return Object.assign(new Error('input/output error'), { code: 'EIO' });
}
