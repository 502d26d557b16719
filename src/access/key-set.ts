/**
 * All API keys of one state of the database, immutable. Each change of a key makes a new set of the next version. The head of a set is stored in addition to
 * the records: its count and digest show whether a record is missing or damaged.
 */

import { invariant } from '#base';
import { corrupt, decodeFrame, encodeFrame } from '#catalog';
import { type ApiKey, isLive } from './api-key.ts';
import { decodeKey, encodeKey } from './stored-key.ts';

/** Maximum number of keys, which are all in memory. */
export const keysMax = 10_000;

interface KnownKey {
  readonly key: ApiKey;
  /** SHA-256 of its record. */
  readonly digest: Uint8Array;
}

interface KeysHead {
  /** `auth_version`. */
  readonly version: number;
  readonly count: number;
  /** The digests of all records, combined by exclusive or. */
  readonly digest: string;
}

export class KeySet {
  /** `auth_version`: 0 before the first key; each change adds 1. */
  readonly version: number;
  private readonly known: ReadonlyMap<string, KnownKey>;
  private readonly digest: Uint8Array;

  constructor(version: number, known: ReadonlyMap<string, KnownKey>, digest: Uint8Array) {
    this.version = version;
    this.known = known;
    this.digest = digest;
  }

  get size(): number {
    return this.known.size;
  }

  find(id: string): ApiKey | undefined {
    return this.known.get(id)?.key;
  }

  isLive(id: string, nowMs: number): boolean {
    const key = this.find(id);
    return key !== undefined && isLive(key, nowMs);
  }

  *keys(): Iterable<ApiKey> {
    for (const { key } of this.known.values()) yield key;
  }

  /** Returns whether a key with the scope `admin` is live, apart from the key `except`. */
  hasLiveAdmin(nowMs: number, except?: string): boolean {
    for (const { key } of this.known.values()) {
      if (key.scopes.has('admin') && key.id !== except && isLive(key, nowMs)) return true;
    }
    return false;
  }

  /** Returns the next set: with new or changed keys, and without those of the ids in `removed`. */
  next(changed: readonly ApiKey[], removed: readonly string[] = []): KeyChange {
    const known = new Map(this.known);
    const digest = this.digest.slice();
    const put = (id: string, now: KnownKey | undefined) => {
      const before = known.get(id);
      if (before !== undefined) combine(digest, before.digest);
      if (now === undefined) known.delete(id);
      else known.set(id, now);
      if (now !== undefined) combine(digest, now.digest);
    };
    for (const id of removed) put(id, undefined);
    const records = changed.map((key) => {
      const record = encodeKey(key);
      put(key.id, { key, digest: digestOf(record) });
      return { id: key.id, record };
    });
    const deleted = removed.map((id) => ({ id, record: undefined }));
    return { keys: new KeySet(this.version + 1, known, digest), records: [...deleted, ...records] };
  }

  /** Returns the record of the head. */
  encodeHead(): Uint8Array {
    const { version, size: count } = this;
    return encodeFrame({ version, count, digest: this.digest.toHex() } satisfies KeysHead);
  }

  /** Decodes a record, unless this set contains a key with an equal one. */
  keyIn(record: Uint8Array, id: string): KnownKey {
    const digest = digestOf(record);
    const known = this.known.get(id);
    if (known !== undefined && Buffer.compare(known.digest, digest) === 0) return known;
    return { key: decodeKey(record), digest };
  }
}

/** A change of the keys: the new set, and the records to write. A key without a record is deleted. */
export interface KeyChange {
  readonly keys: KeySet;
  readonly records: readonly { readonly id: string; readonly record: Uint8Array | undefined }[];
}

const digestBytes = 32;

/** The keys of a database in which no key was ever created. */
export const noKeys = new KeySet(0, new Map(), new Uint8Array(digestBytes));

/** Builds the set of a stored head from the records of one view, in any order. `before` is the set of an earlier state. */
export class KeySetReader {
  private readonly head: KeysHead;
  private readonly before: KeySet;
  private readonly known = new Map<string, KnownKey>();
  private readonly digest = new Uint8Array(digestBytes);

  constructor(head: Uint8Array, before: KeySet) {
    this.head = decodeHead(head);
    this.before = before;
  }

  /** Adds a record. Throws `catalog_corrupt` if it is damaged, or does not belong to the id. */
  add(id: string, record: Uint8Array): void {
    const known = this.before.keyIn(record, id);
    if (known.key.id !== id) throw corrupt('the record of an API key', 'it is that of another key');
    this.known.set(id, known);
    combine(this.digest, known.digest);
  }

  /** Returns the set. Throws `catalog_corrupt` if the records are not those of the head. */
  end(): KeySet {
    const { version, count, digest } = this.head;
    if (this.known.size !== count) {
      throw corrupt('the API keys', `${count} records were written, ${this.known.size} were found`);
    }
    if (this.digest.toHex() !== digest) {
      throw corrupt('the API keys', 'their records do not match their digest');
    }
    return new KeySet(version, this.known, this.digest);
  }
}

function decodeHead(bytes: Uint8Array): KeysHead {
  return decodeFrame(bytes, 'the head of the API keys', (content) => {
    const { version, count, digest } = content as KeysHead;
    invariant([version, count].every(Number.isSafeInteger), 'a head has a version and a count');
    invariant(/^[0-9a-f]{64}$/.test(digest), 'a head has a digest');
    return { version, count, digest };
  });
}

function digestOf(record: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(record).digest();
}

/** Adds a digest to the combination, or removes it: both are the same. */
function combine(into: Uint8Array, digest: Uint8Array): void {
  for (let i = 0; i < digestBytes; i++) into[i] = (into[i] as number) ^ (digest[i] as number);
}
