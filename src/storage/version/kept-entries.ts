/**
 * A few entries that everything else depends on, kept in the manifest as well as in tables: a damaged table must not take them along.
 *
 * They are the newest versions at the log boundary of the manifest that holds them. Point reads find them here before any table is asked;
 * scans do not look here, for the tables have them too.
 */

import { ByteReader, ByteWriter, compareBytes, equalBytes } from '#base';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import { Lookup } from '../cursor/lookup.ts';
import { findNewest } from '../cursor/read-sources.ts';
import type { Source, Surroundings } from '../cursor/source.ts';
import type { Memtable } from '../memtable/memtable.ts';

interface KeptEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly sequence: number;
}

const propertyName = 'kept';

/** More than this is not kept: it would be written with each manifest. */
const bytesMax = 4 << 20;

export class KeptEntries implements Source {
  readonly entries: readonly KeptEntry[];

  constructor(entries: readonly KeptEntry[]) {
    this.entries = entries;
  }

  find(lookup: Lookup): boolean {
    const { key, snapshot } = lookup;
    for (const entry of this.entries) {
      // Most keys that are asked for are longer.
      if (entry.key.length !== key.length || entry.sequence > snapshot) continue;
      if (!equalBytes(entry.key, key)) continue;
      lookup.value = entry.value;
      lookup.valueFrom = 0;
      lookup.valueTo = entry.value.length;
      lookup.sequence = entry.sequence;
      lookup.isDelete = false;
      return true;
    }
    return false;
  }

  near(key: Uint8Array, around: Surroundings): this | undefined {
    let holds = false;
    for (const { key: kept } of this.entries) {
      const order = compareBytes(kept, key);
      if (order < 0) around.startAfter(kept);
      else if (order > 0) around.endBefore(kept);
      else holds = true;
    }
    if (!holds) return undefined;
    around.startFrom(key);
    around.endAfter(key);
    return this;
  }

  scan() {
    return emptyCursor;
  }

  versions() {
    return emptyCursor;
  }

  /** The tables count them. */
  entriesIn(): number {
    return 0;
  }

  /** As it is when what `memtable` holds is in tables too; `keys` are all that may be kept. */
  after(memtable: Memtable, keys: readonly Uint8Array[]): KeptEntries {
    const lookup = new Lookup();
    const entries: KeptEntry[] = [];
    for (const key of keys) {
      if (memtable.find(lookup.ask(key, Number.MAX_SAFE_INTEGER))) {
        if (!lookup.isDelete) entries.push(entryIn(lookup));
      } else {
        const before = this.entries.find((entry) => equalBytes(entry.key, key));
        if (before !== undefined) entries.push(before);
      }
    }
    return new KeptEntries(entries);
  }

  /** `properties` with these entries, as they are at the log boundary `boundary`. */
  within(
    properties: ReadonlyMap<string, Uint8Array>,
    boundary: number,
  ): ReadonlyMap<string, Uint8Array> {
    const writer = new ByteWriter(256);
    writer.varint(boundary);
    writer.list(this.entries, ({ key, value, sequence }) => {
      writer.varint(sequence);
      writer.sized(key);
      writer.sized(value);
    });
    return new Map(properties).set(propertyName, writer.take());
  }

  get isSmall(): boolean {
    return this.entries.reduce((sum, { value }) => sum + value.length, 0) <= bytesMax;
  }
}

export function withoutKept(
  properties: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Uint8Array> {
  const changed = new Map(properties);
  changed.delete(propertyName);
  return changed;
}

/** What a manifest keeps. Undefined when it keeps nothing, or its boundary has been moved by a program that does not know of this. */
export function keptIn(manifest: {
  readonly boundary: number;
  readonly properties: ReadonlyMap<string, Uint8Array>;
}): KeptEntries | undefined {
  const bytes = manifest.properties.get(propertyName);
  if (bytes === undefined) return undefined;
  const reader = new ByteReader(bytes);
  if (reader.varint() !== manifest.boundary) return undefined;
  const read = () => ({ sequence: reader.varint(), key: reader.sized(), value: reader.sized() });
  return new KeptEntries(reader.list(read));
}

/** What tables hold of `keys`. Throws when they cannot be read. */
export async function readKept(
  sources: readonly Source[],
  keys: readonly Uint8Array[],
): Promise<KeptEntries> {
  const entries: KeptEntry[] = [];
  for (const key of keys) {
    const lookup = new Lookup();
    const isFound = await findNewest(sources, lookup.ask(key, Number.MAX_SAFE_INTEGER));
    if (isFound && !lookup.isDelete) entries.push(entryIn(lookup));
  }
  return new KeptEntries(entries);
}

/** A copy: what a lookup shows is a view of shared memory. */
function entryIn(lookup: Lookup): KeptEntry {
  return { key: lookup.key.slice(), value: lookup.bytes().slice(), sequence: lookup.sequence };
}
