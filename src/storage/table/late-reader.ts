/**
 * A reader of an object that could not be opened. Each read tries again, so a restored file needs
 * no restart.
 */

import type { ObjectReader, ObjectStore, RemoteParts } from '../object/store.ts';

export class LateReader implements ObjectReader {
  readonly name: string;
  readonly bytes: number;
  private readonly objects: Pick<ObjectStore, 'openRead'>;
  private reader: ObjectReader | undefined;
  private isClosed = false;

  constructor(objects: Pick<ObjectStore, 'openRead'>, name: string, bytes: number) {
    this.objects = objects;
    this.name = name;
    this.bytes = bytes;
  }

  get remote(): RemoteParts | undefined {
    return this.reader?.remote;
  }

  readInto(offset: number, target: Uint8Array): number | Promise<number> {
    if (this.reader !== undefined) return this.reader.readInto(offset, target);
    const opened = this.objects.openRead(this.name, this.bytes);
    if (opened instanceof Promise)
      return opened.then((reader) => this.readOpened(reader, offset, target));
    return this.readOpened(opened, offset, target);
  }

  /** Returns `undefined` while the object is not open, because its name cannot be compared then. */
  isThere(): boolean | undefined {
    return this.reader?.isThere?.();
  }

  close(): void {
    this.isClosed = true;
    this.reader?.close();
    this.reader = undefined;
  }

  /**
   * Reads from the opened object, unless another read has opened it meanwhile or the SSTable has
   * been closed.
   */
  private readOpened(
    opened: ObjectReader,
    offset: number,
    target: Uint8Array,
  ): number | Promise<number> {
    if (this.reader !== undefined || this.isClosed) opened.close();
    else this.reader = opened;
    return this.reader?.readInto(offset, target) ?? 0;
  }
}
