/**
 * A directory in memory that fails like a real one: it forgets what was not synced when the power goes, sector by sector and
 * name by name, tears the sector that was being written, runs full, and fails a sync and then pretends that all is well.
 */

import type { DirectoryIo, IoFile, OpenMode } from '../../../src/storage/object/directory-io.ts';

export class PowerLoss extends Error {}

export interface Faults {
  /** The power goes in the middle of this effect, counted from 1. */
  readonly powerLossAt?: number;
  /** This sync of a file, counted from 1, fails. */
  readonly failSyncAt?: number;
  /** How many bytes files may grow by altogether; a file that is removed gives back what it had. */
  readonly roomBytes?: number;
  /** A disk that lies: nothing of this kind becomes durable. */
  readonly lies?: 'files' | 'names';
}

const sectorBytes = 512;

interface Inode {
  current: Uint8Array;
  durable: Uint8Array;
  /** Sectors that the next sync makes durable. */
  dirty: Set<number>;
  /** Sectors whose sync failed: they look written, and no later sync helps them. */
  lost: Set<number>;
}

/** A change of names, in the order it was made; `inode` undefined removes the name. One step is atomic. */
interface NameStep {
  readonly changes: readonly (readonly [path: string, inode: Inode | undefined])[];
}

export class FaultyDirectory implements DirectoryIo {
  effects = 0;
  syncs = 0;
  hasLostPower = false;
  /** A sync has failed. */
  hasFailed = false;
  private readonly unit: () => number;
  private readonly faults: Faults;
  private names: Map<string, Inode>;
  private durableNames: Map<string, Inode>;
  private directories: Set<string>;
  private durableDirectories: Set<string>;
  private steps: NameStep[] = [];
  /** How many bytes are left on the disk. */
  room: number;
  /** A write has found no room. */
  isFull = false;

  constructor(unit: () => number, faults: Faults = {}) {
    this.unit = unit;
    this.faults = faults;
    this.names = new Map();
    this.durableNames = new Map();
    this.directories = new Set(['']);
    this.durableDirectories = new Set(['']);
    this.room = faults.roomBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The directory as the next process finds it after the power came back. */
  afterPowerLoss(faults: Faults = {}): FaultyDirectory {
    const next = new FaultyDirectory(this.unit, faults);
    const survivors = new Map(this.durableNames);
    for (const { changes } of this.steps) {
      if (this.chance(0.5)) applyTo(survivors, changes);
    }
    for (const directory of this.directories) {
      if (this.durableDirectories.has(directory) || this.chance(0.5)) next.addDirectory(directory);
    }
    for (const [path, inode] of survivors) {
      if (next.directories.has(parent(path))) next.addFile(path, this.contentAfterLoss(inode));
    }
    return next;
  }

  /** The directory as the next process finds it after this one was killed: nothing is forgotten, or durable. */
  afterKill(faults: Faults = {}): FaultyDirectory {
    const next = new FaultyDirectory(this.unit, faults);
    next.names = this.names;
    next.durableNames = this.durableNames;
    next.directories = this.directories;
    next.durableDirectories = this.durableDirectories;
    next.steps = this.steps;
    return next;
  }

  /** The current content, to damage it. */
  content(path: string): Uint8Array {
    const inode = this.names.get(path);
    if (inode === undefined) throw new Error(`no file ${path}`);
    return inode.current;
  }

  /** As somebody else does who has no business here. */
  truncate(path: string, bytes: number): void {
    const inode = this.existing(path);
    inode.current = inode.current.slice(0, bytes);
    inode.durable = inode.durable.slice(0, bytes);
  }

  open(path: string, mode: OpenMode): IoFile | undefined {
    this.alive();
    const inode = this.names.get(path);
    if (mode !== 'create') return inode && this.file(inode);
    if (inode !== undefined) return undefined;
    const created: Inode = {
      current: new Uint8Array(),
      durable: new Uint8Array(),
      dirty: new Set(),
      lost: new Set(),
    };
    this.effect(() => this.change([[path, created]]));
    return this.file(created);
  }

  sizeOf(path: string): number | undefined {
    this.alive();
    return this.names.get(path)?.current.length;
  }

  link(from: string, to: string): boolean {
    this.alive();
    if (this.names.has(to)) return false;
    const inode = this.existing(from);
    this.effect(() => this.change([[to, inode]]));
    return true;
  }

  rename(from: string, to: string): void {
    this.alive();
    const inode = this.existing(from);
    this.giveBack(to);
    this.effect(() =>
      this.change([
        [from, undefined],
        [to, inode],
      ]),
    );
  }

  unlink(path: string): boolean {
    return this.removed(path);
  }

  private removed(path: string): boolean {
    this.alive();
    if (!this.names.has(path)) return false;
    this.giveBack(path);
    this.effect(() => this.change([[path, undefined]]));
    return true;
  }

  async remove(path: string): Promise<boolean> {
    await this.turn();
    return this.removed(path);
  }

  /** The file at `path` loses its name; its room is free again when it was the only one. */
  private giveBack(path: string): void {
    const inode = this.names.get(path);
    const names = [...this.names.values()].filter((each) => each === inode).length;
    if (inode !== undefined && names === 1) this.room += inode.current.length;
  }

  makeDirectory(path: string): boolean {
    this.alive();
    if (this.directories.has(path)) return false;
    this.effect(() => this.directories.add(path));
    return true;
  }

  entries(path: string): readonly string[] {
    this.alive();
    const below = (name: string): boolean => name !== '' && parent(name) === path;
    const short = (name: string): string => name.slice(path === '' ? 0 : path.length + 1);
    return [
      ...[...this.names.keys()].filter(below).map(short),
      ...[...this.directories].filter(below).map((name) => `${short(name)}/`),
    ];
  }

  async syncDirectory(path: string): Promise<void> {
    await this.turn();
    this.effect(() => {
      if (this.faults.lies === 'names') return;
      const kept: NameStep[] = [];
      for (const step of this.steps) {
        if (step.changes.some(([name]) => parent(name) === path)) {
          applyTo(this.durableNames, step.changes);
        } else {
          kept.push(step);
        }
      }
      this.steps = kept;
      for (const directory of this.directories) {
        if (directory !== '' && parent(directory) === path) this.durableDirectories.add(directory);
      }
    });
  }

  private file(inode: Inode): IoFile {
    const write = async (source: Uint8Array, position: number): Promise<void> => {
      await this.turn();
      const growth = position + source.length - inode.current.length;
      if (growth > this.room) {
        this.isFull = true;
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      }
      if (growth > 0) this.room -= growth;
      const copy = source.slice();
      this.effect(
        () => this.write(inode, copy, position),
        () => this.write(inode, copy.subarray(0, Math.floor(this.unit() * copy.length)), position),
      );
    };
    const sync = async (): Promise<void> => {
      await this.turn();
      this.effect(() => this.sync(inode));
    };
    return {
      bytes: inode.current.length,
      isAt: (path) => this.names.get(path) === inode,
      read: (target, position) => {
        this.alive();
        const part = inode.current.subarray(position, position + target.length);
        target.set(part);
        return part.length;
      },
      write,
      writeDurably: async (source, position) => {
        await write(source, position);
        await sync();
      },
      sync,
      close: () => {},
      discard: (closed) => closed(),
    };
  }

  private write(inode: Inode, source: Uint8Array, position: number): void {
    const end = position + source.length;
    if (end > inode.current.length) {
      const grown = new Uint8Array(end);
      grown.set(inode.current);
      inode.current = grown;
    }
    inode.current.set(source, position);
    for (let at = sectorOf(position); at * sectorBytes < end; at++) {
      inode.dirty.add(at);
      inode.lost.delete(at);
    }
  }

  private sync(inode: Inode): void {
    if (++this.syncs === this.faults.failSyncAt) {
      for (const sector of inode.dirty) inode.lost.add(sector);
      inode.dirty.clear();
      this.hasFailed = true;
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    }
    if (this.faults.lies === 'files') return;
    const durable = inode.current.slice();
    for (const sector of inode.lost) copySector(inode.durable, durable, sector, sectorBytes);
    inode.durable = durable;
    inode.dirty.clear();
  }

  private contentAfterLoss(inode: Inode): Uint8Array {
    const isLong = inode.current.length > inode.durable.length && this.chance(0.5);
    const content = inode.current.slice(0, isLong ? undefined : inode.durable.length);
    for (const sector of inode.lost) copySector(inode.durable, content, sector, sectorBytes);
    for (const sector of inode.dirty) {
      const fate = this.unit();
      if (fate < 0.4) copySector(inode.durable, content, sector, sectorBytes);
      else if (fate < 0.6) {
        copySector(inode.durable, content, sector, Math.floor(this.unit() * sectorBytes));
      }
    }
    return content;
  }

  private addFile(path: string, content: Uint8Array): void {
    const inode: Inode = {
      current: content,
      durable: content.slice(),
      dirty: new Set(),
      lost: new Set(),
    };
    this.names.set(path, inode);
    this.durableNames.set(path, inode);
  }

  private addDirectory(path: string): void {
    this.directories.add(path);
    this.durableDirectories.add(path);
  }

  private existing(path: string): Inode {
    const inode = this.names.get(path);
    if (inode === undefined) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
    return inode;
  }

  private change(changes: NameStep['changes']): void {
    applyTo(this.names, changes);
    this.steps.push({ changes });
  }

  /** Performs one effect, or loses the power in the middle of it. */
  private effect(whole: () => void, part: () => void = () => {}): void {
    this.alive();
    const isLast = ++this.effects === this.faults.powerLossAt;
    if (!isLast || this.chance(0.5)) whole();
    else part();
    if (!isLast) return;
    this.hasLostPower = true;
    this.hasFailed = true;
    throw new PowerLoss('the power is gone');
  }

  private alive(): void {
    if (this.hasLostPower) throw new PowerLoss('the power is gone');
  }

  /** Disk operations take a while: others go on meanwhile, more or fewer of them. */
  private async turn(): Promise<void> {
    this.alive();
    for (let turns = Math.floor(this.unit() * 4); turns > 0; turns--) await null;
    if (this.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
  }

  private chance(probability: number): boolean {
    return this.unit() < probability;
  }
}

function applyTo(names: Map<string, Inode>, changes: NameStep['changes']): void {
  for (const [path, inode] of changes) {
    if (inode === undefined) names.delete(path);
    else names.set(path, inode);
  }
}

function parent(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function sectorOf(position: number): number {
  return Math.floor(position / sectorBytes);
}

/** Copies the first `bytes` of a sector; what `from` does not have is zeros. */
function copySector(from: Uint8Array, to: Uint8Array, sector: number, bytes: number): void {
  const start = sector * sectorBytes;
  const end = Math.min(to.length, start + bytes);
  for (let i = start; i < end; i++) to[i] = from[i] ?? 0;
}
