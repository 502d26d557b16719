/**
 * A cache of SSTables of a bucket, in parts on the local disk. The cache is an ObjectStore over the remote one, and caches only SSTables, which
 * never change. A fault of the local disk costs additional requests but never changes a result.
 */

import type { Clock } from '#base';
import { bodyBytes, stretchesOf } from '../object/body.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { prefixes } from '../object/names.ts';
import { readEvidence } from '../object/read-evidence.ts';
import type { Body, ObjectReader, ObjectStore } from '../object/store.ts';
import { CachedReader } from './cached-reader.ts';
import type { ObjectCacheCounters, ObjectCacheOptions, ObjectCacheStatistics } from './options.ts';
import type { Part } from './part-file.ts';
import { PartShelf } from './part-shelf.ts';

interface ObjectCacheParts {
  readonly remote: ObjectStore;
  readonly io: DirectoryIo;
  /** Directory for the parts of this store, in the tree of `io`. */
  readonly directory: string;
  readonly clock: Clock;
  readonly options: ObjectCacheOptions;
}

/** The properties of an SSTable that a fetch needs. */
interface CachedTable {
  readonly name: string;
  readonly bytes: number;
}

export class ObjectCache {
  readonly counters: ObjectCacheCounters = {
    hits: 0,
    misses: 0,
    fetches: 0,
    fetchedBytes: 0,
    stored: 0,
    evicted: 0,
    damaged: 0,
    failures: 0,
  };
  readonly options: ObjectCacheOptions;
  /** The cached store, to be used instead of the remote store. */
  readonly objects: ObjectStore;
  private readonly remote: ObjectStore;
  private readonly shelf: PartShelf;
  private readonly fetching = new Map<string, Promise<Uint8Array>>();
  /** The SSTables that are being preloaded, one after the other. */
  private ahead: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor({ remote, io, directory, clock, options }: ObjectCacheParts) {
    const { counters } = this;
    this.options = options;
    this.remote = remote;
    io.makeDirectory(directory);
    const { bytesMax, partBytes } = options;
    this.shelf = new PartShelf({ io, clock, directory, bytesMax, partBytes, counters });
    this.objects = this.over(remote);
  }

  /** Returns this cache over another access path to the same objects: parts that are not cached are requested from `remote`. */
  over(remote: ObjectStore): ObjectStore {
    return {
      ...remote,
      put: (name, body) => this.put(remote, name, body),
      delete: (names) => this.delete(remote, names),
      openRead: (name, bytes) => this.openRead(remote, name, bytes),
    };
  }

  get usedBytes(): number {
    return this.shelf.usedBytes;
  }

  statistics(): ObjectCacheStatistics {
    const { counters, shelf, options } = this;
    const { usedBytes, count } = shelf;
    return { ...counters, parts: count, usedBytes, capacityBytes: options.bytesMax };
  }

  /** Fetches the missing parts of the SSTables in the given order, as far as they fit together. Resolves when that is done. */
  preload(tables: readonly CachedTable[]): Promise<void> {
    this.ahead = this.ahead.then(() => this.fetchTables(tables));
    return this.ahead;
  }

  /** Stops preloading. */
  close(): void {
    this.isClosed = true;
  }

  private async put(remote: ObjectStore, name: string, body: Body): Promise<void> {
    await remote.put(name, body);
    if (!isTable(name) || !this.options.keepsFlushed) return;
    const objectBytes = bodyBytes(body);
    let number = 0;
    for (const bytes of stretchesOf(body, this.options.partBytes)) {
      await this.shelf.store({ object: name, number: number++ }, objectBytes, bytes);
    }
  }

  private async delete(remote: ObjectStore, names: readonly string[]): Promise<void> {
    this.shelf.forget(new Set(names));
    await remote.delete(names);
  }

  private openRead(
    remote: ObjectStore,
    name: string,
    known?: number,
  ): ObjectReader | Promise<ObjectReader> {
    if (!isTable(name)) return remote.openRead(name, known);
    const openRemote = async () => remote.openRead(name, known);
    const bytes = known ?? this.shelf.objectBytes({ object: name, number: 0 });
    if (bytes !== undefined) return this.readerOf({ name, bytes }, openRemote);
    return openRemote().then((reader) => this.readerOf(reader, async () => reader));
  }

  private readerOf(
    object: { readonly name: string; readonly bytes: number },
    openRemote: () => Promise<ObjectReader>,
  ): CachedReader {
    const { partBytes } = this.options;
    const readLocal = (part: Part, from: number, target: Uint8Array) => {
      const isLocal = this.shelf.read(part, from, target);
      if (isLocal) this.counters.hits++;
      else this.counters.misses++;
      const evidence = readEvidence();
      if (evidence !== undefined) {
        if (isLocal) evidence.localHits++;
        else evidence.localMisses++;
      }
      return isLocal;
    };
    const fetch = (part: Part, remote: ObjectReader) => this.fetch(part, remote);
    const has = (part: Part) => this.shelf.has(part);
    return new CachedReader(object, { partBytes, readLocal, has, fetch }, openRemote);
  }

  private fetch(part: Part, remote: ObjectReader): Promise<Uint8Array> {
    const key = `${part.object}#${part.number}`;
    const known = this.fetching.get(key);
    if (known !== undefined) return known;
    const fetched = this.fetchPart(part, remote);
    this.fetching.set(key, fetched);
    // Until the part is on the disk, concurrent calls get these bytes.
    const kept = fetched.then((bytes) => this.keep(part, remote, bytes));
    void kept.catch(() => {}).then(() => this.fetching.delete(key));
    return fetched;
  }

  private async fetchPart({ number }: Part, remote: ObjectReader): Promise<Uint8Array> {
    const { partBytes } = this.options;
    const at = number * partBytes;
    const target = new Uint8Array(Math.max(0, Math.min(partBytes, remote.bytes - at)));
    this.counters.fetches++;
    const count = await remote.readInto(at, target);
    this.counters.fetchedBytes += count;
    return target.subarray(0, count);
  }

  private async keep(part: Part, remote: ObjectReader, bytes: Uint8Array): Promise<void> {
    const { partBytes } = this.options;
    const isWhole = bytes.length === Math.min(partBytes, remote.bytes - part.number * partBytes);
    if (isWhole) await this.shelf.store(part, remote.bytes, bytes);
  }

  private async fetchTables(tables: readonly CachedTable[]): Promise<void> {
    const { bytesMax, partBytes } = this.options;
    let bytes = 0;
    for (const table of tables) {
      bytes += table.bytes;
      if (bytes > bytesMax) return;
      await this.fetchTable(table, partBytes).catch(() => {
        // A reader that needs the part receives the error itself.
      });
    }
  }

  private async fetchTable({ name, bytes }: CachedTable, partBytes: number): Promise<void> {
    let remote: ObjectReader | undefined;
    try {
      for (let number = 0; number * partBytes < bytes && !this.isClosed; number++) {
        const part = { object: name, number };
        if (this.shelf.has(part)) continue;
        remote ??= await this.remote.openRead(name, bytes);
        await this.fetch(part, remote);
      }
    } finally {
      remote?.close();
    }
  }
}

function isTable(name: string): boolean {
  return name.startsWith(prefixes.table);
}
