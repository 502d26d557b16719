/**
 * Copies of a few essential entries in the manifest, so that a damaged SSTable cannot make them unreadable.
 *
 * The copies are the newest versions at the log boundary of the manifest that contains them. Point reads find them here before they search
 * an SSTable. Scans do not read them, because the SSTables contain them too.
 */

import { ByteReader, ByteWriter, compareBytes, equalBytes } from '#base';
import type { KeyBatch } from '../contract/key-batch.ts';
import { emptyCursor } from '../cursor/empty-cursor.ts';
import { findEach } from '../cursor/find-each.ts';
import { Lookup } from '../cursor/lookup.ts';
import { findNewest } from '../cursor/read-sources.ts';
import type { CursorSource, KeyNeighborhood } from '../cursor/source.ts';

interface ManifestEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly sequence: number;
}

const propertyName = 'kept';

/** Maximum size of the entries. Each manifest contains all of them, so larger ones are not duplicated. */
const bytesMax = 4 << 20;

export class ManifestEntries implements CursorSource {
  readonly entries: readonly ManifestEntry[];

  constructor(entries: readonly ManifestEntry[]) {
    this.entries = entries;
  }

  find(lookup: Lookup): boolean {
    const { key, snapshot } = lookup;
    for (const entry of this.entries) {
      // Most requested keys are longer.
      if (entry.key.length !== key.length || entry.sequence > snapshot) continue;
      if (!equalBytes(entry.key, key)) continue;
      lookup.value = entry.value;
      lookup.valueFrom = 0;
      lookup.valueTo = entry.value.length;
      lookup.sequence = entry.sequence;
      lookup.isTombstone = false;
      return true;
    }
    return false;
  }

  findAll(batch: KeyBatch, from: number, to: number): undefined {
    findEach(this, batch, from, to);
  }

  near(key: Uint8Array, around: KeyNeighborhood): this | undefined {
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

  /** Returns 0, because the SSTables count these entries. */
  entriesIn(): number {
    return 0;
  }

  /**
   * Returns the entries after the publication of `newer`. `keys` are the keys of all entries that may be duplicated. Throws if `newer` cannot
   * be read.
   */
  async after(newer: CursorSource, keys: readonly Uint8Array[]): Promise<ManifestEntries> {
    const entries: ManifestEntry[] = [];
    for (const key of keys) {
      const lookup = new Lookup();
      if (await newer.find(lookup.ask(key, Number.MAX_SAFE_INTEGER))) {
        if (!lookup.isTombstone) entries.push(entryIn(lookup));
      } else {
        const before = this.entries.find((entry) => equalBytes(entry.key, key));
        if (before !== undefined) entries.push(before);
      }
    }
    return new ManifestEntries(entries);
  }

  /** Returns `properties` with these entries at the log boundary `boundary`. */
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

/**
 * Returns the duplicated entries of a manifest; `undefined` if it contains none, or if an older version of svc has moved its boundary
 * without updating them.
 */
export function keptIn(manifest: {
  readonly boundary: number;
  readonly properties: ReadonlyMap<string, Uint8Array>;
}): ManifestEntries | undefined {
  const bytes = manifest.properties.get(propertyName);
  if (bytes === undefined) return undefined;
  const reader = new ByteReader(bytes);
  if (reader.varint() !== manifest.boundary) return undefined;
  const read = () => ({ sequence: reader.varint(), key: reader.sized(), value: reader.sized() });
  return new ManifestEntries(reader.list(read));
}

/** Reads the entries of `keys` from the SSTables. Throws if they cannot be read. */
export async function readKept(
  sources: readonly CursorSource[],
  keys: readonly Uint8Array[],
): Promise<ManifestEntries> {
  const entries: ManifestEntry[] = [];
  for (const key of keys) {
    const lookup = new Lookup();
    const isFound = await findNewest(sources, lookup.ask(key, Number.MAX_SAFE_INTEGER));
    if (isFound && !lookup.isTombstone) entries.push(entryIn(lookup));
  }
  return new ManifestEntries(entries);
}

/** Copies the result of a lookup, which is a view of shared memory. */
function entryIn(lookup: Lookup): ManifestEntry {
  return { key: lookup.key.slice(), value: lookup.bytes().slice(), sequence: lookup.sequence };
}
