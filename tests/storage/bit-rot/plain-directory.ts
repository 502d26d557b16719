/** A directory in memory without faults, whose copies are cheap: files are copied when they are written. */

import type { DirectoryIo, IoFile, OpenMode } from '../../../src/storage/object/directory-io.ts';

interface Inode {
  bytes: Uint8Array;
  /** Other directories have the same bytes. */
  isShared: boolean;
}

export class PlainDirectory implements DirectoryIo {
  private readonly files = new Map<string, Inode>();
  private readonly directories = new Set<string>(['']);

  copy(): PlainDirectory {
    const copy = new PlainDirectory();
    for (const [path, inode] of this.files) {
      inode.isShared = true;
      copy.files.set(path, { ...inode });
    }
    for (const directory of this.directories) copy.directories.add(directory);
    return copy;
  }

  get paths(): string[] {
    return [...this.files.keys()].sort();
  }

  content(path: string): Uint8Array {
    return (this.files.get(path) as Inode).bytes;
  }

  replace(path: string, bytes: Uint8Array): void {
    this.files.set(path, { bytes, isShared: false });
  }

  flip(path: string, bit: number): void {
    const bytes = this.content(path).slice();
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    this.replace(path, bytes);
  }

  open(path: string, mode: OpenMode): IoFile | undefined {
    const known = this.files.get(path);
    if (mode !== 'create') return known && this.fileOf(known);
    if (known !== undefined) return undefined;
    const inode: Inode = { bytes: new Uint8Array(), isShared: false };
    this.files.set(path, inode);
    return this.fileOf(inode);
  }

  private fileOf(inode: Inode): IoFile {
    return { ...fileOf(inode), isAt: (path) => this.files.get(path) === inode };
  }

  sizeOf(path: string): number | undefined {
    return this.files.get(path)?.bytes.length;
  }

  link(from: string, to: string): boolean {
    if (this.files.has(to)) return false;
    this.files.set(to, this.files.get(from) as Inode);
    return true;
  }

  rename(from: string, to: string): void {
    this.files.set(to, this.files.get(from) as Inode);
    this.files.delete(from);
  }

  unlink(path: string): boolean {
    return this.files.delete(path);
  }

  async remove(path: string): Promise<boolean> {
    return this.unlink(path);
  }

  makeDirectory(path: string): boolean {
    if (this.directories.has(path)) return false;
    this.directories.add(path);
    return true;
  }

  entries(path: string): readonly string[] {
    const prefix = path === '' ? '' : `${path}/`;
    const isChild = (name: string) =>
      name.startsWith(prefix) && name !== path && !name.slice(prefix.length).includes('/');
    return [
      ...[...this.files.keys()].filter(isChild).map((name) => name.slice(prefix.length)),
      ...[...this.directories].filter(isChild).map((name) => `${name.slice(prefix.length)}/`),
    ];
  }

  async syncDirectory(): Promise<void> {}
}

function fileOf(inode: Inode): Omit<IoFile, 'isAt'> {
  const write = async (source: Uint8Array, position: number) => {
    const length = Math.max(inode.bytes.length, position + source.length);
    if (inode.isShared || length > inode.bytes.length) {
      const own = new Uint8Array(length);
      own.set(inode.bytes);
      inode.bytes = own;
      inode.isShared = false;
    }
    inode.bytes.set(source, position);
  };
  return {
    bytes: inode.bytes.length,
    read(target, position) {
      const part = inode.bytes.subarray(position, position + target.length);
      target.set(part);
      return part.length;
    },
    write,
    writeDurably: write,
    sync: async () => {},
    close: () => {},
    discard: (closed) => closed(),
  };
}
