/** Reads a remote object part by part: parts on the local disk immediately, all other parts by fetching them. */

import type { ObjectReader, RemoteParts } from '../object/store.ts';
import type { Part } from './part-file.ts';

/** Reads local parts and fetches remote ones. */
interface PartSource {
  readonly partBytes: number;
  /** Fills `target` with the bytes of the part from `from` on. Returns false if the part is not local. */
  readLocal(part: Part, from: number, target: Uint8Array): boolean;
  /** Returns whether the part is local, without counting as a use of it. */
  has(part: Part): boolean;
  /** Returns the bytes of the part. Concurrent calls for one part share one fetch. */
  fetch(part: Part, remote: ObjectReader): Promise<Uint8Array>;
}

export class CachedReader implements ObjectReader {
  readonly name: string;
  readonly bytes: number;
  readonly remote: RemoteParts;
  private readonly source: PartSource;
  private readonly openRemote: () => Promise<ObjectReader>;
  private opened: Promise<ObjectReader> | undefined;

  /** `openRemote` is called when the first part is missing. */
  constructor(
    object: { readonly name: string; readonly bytes: number },
    source: PartSource,
    openRemote: () => Promise<ObjectReader>,
  ) {
    this.name = object.name;
    this.bytes = object.bytes;
    this.source = source;
    const { partBytes } = source;
    const partAt = (offset: number) => ({
      object: object.name,
      number: Math.floor(offset / partBytes),
    });
    this.remote = { isLocal: (offset) => source.has(partAt(offset)), partBytes };
    this.openRemote = openRemote;
  }

  readInto(offset: number, target: Uint8Array): number | Promise<number> {
    const count = Math.max(0, Math.min(target.length, this.bytes - offset));
    return this.readFrom(offset, target.subarray(0, count), 0);
  }

  close(): void {
    void this.opened?.then(
      (reader) => reader.close(),
      () => {},
    );
  }

  /** Continues a read into `target`, of which `done` bytes are filled. Returns the number of bytes read. */
  private readFrom(offset: number, target: Uint8Array, done: number): number | Promise<number> {
    const { source, name } = this;
    let at = done;
    while (at < target.length) {
      const part = { object: name, number: Math.floor((offset + at) / source.partBytes) };
      const from = offset + at - part.number * source.partBytes;
      const wanted = target.subarray(at, at + source.partBytes - from);
      if (!source.readLocal(part, from, wanted)) return this.fetch(part, { offset, target, at });
      at += wanted.length;
    }
    return at;
  }

  private async fetch(
    part: Part,
    rest: { readonly offset: number; readonly target: Uint8Array; readonly at: number },
  ): Promise<number> {
    const { offset, target, at } = rest;
    this.opened ??= this.openRemote();
    let remote: ObjectReader;
    try {
      remote = await this.opened;
    } catch (error) {
      // The next read tries again.
      this.opened = undefined;
      throw error;
    }
    const bytes = await this.source.fetch(part, remote);
    const from = offset + at - part.number * this.source.partBytes;
    const found = bytes.subarray(from, from + target.length - at);
    target.set(found, at);
    if (from + found.length < bytes.length || found.length === 0) return at + found.length;
    return this.readFrom(offset, target, at + found.length);
  }
}
