/**
 * Reads and checks sections of one SSTable file. Every fault becomes a typed failure that names the
 * file and the section.
 */

import { fail } from '#failure';
import { isOutage, StorageError } from '../object/storage-fault.ts';
import type { ObjectReader, RemoteParts } from '../object/store.ts';
import { unfilledBytes } from './block-buffer.ts';
import type { DamagedTables } from './damaged-tables.ts';
import { describeSection, sectionChecksum, seedOfTable } from './section-checksum.ts';

export interface SectionPlace {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}

export class SectionReader {
  readonly name: string;
  readonly seed: number;
  private reader: ObjectReader;
  private readonly damaged: DamagedTables | undefined;

  /** Creates a reader. `damaged` receives every fault of the SSTable. */
  constructor(reader: ObjectReader, name: string, damaged?: DamagedTables) {
    this.reader = reader;
    this.damaged = damaged;
    this.name = name;
    this.seed = seedOfTable(name);
  }

  get fileBytes(): number {
    return this.reader.bytes;
  }

  /** Facts about reads of a remote SSTable; `undefined` while the SSTable is on this machine. */
  get remote(): RemoteParts | undefined {
    return this.reader.remote;
  }

  /**
   * Returns the checked bytes of a section, as a promise only if the store returns one. `target` is
   * filled and returned; without it, the bytes are in new memory.
   */
  read(
    place: SectionPlace,
    section: number,
    target = unfilledBytes(place.bytes),
  ): Uint8Array | Promise<Uint8Array> {
    const bytes = this.fill(target, place.at, section);
    if (bytes instanceof Promise) return bytes.then((read) => this.check(read, place, section));
    return this.check(bytes, place, section);
  }

  readUnchecked(at: number, length: number, section: number): Uint8Array | Promise<Uint8Array> {
    return this.fill(unfilledBytes(length), at, section);
  }

  private fill(target: Uint8Array, at: number, section: number): Uint8Array | Promise<Uint8Array> {
    let count: number | Promise<number>;
    try {
      count = this.reader.readInto(at, target);
    } catch (cause) {
      throw this.unreadable(section, cause);
    }
    if (typeof count === 'number') return this.whole(target, count, at, section);
    return count.then(
      (read) => this.whole(target, read, at, section),
      (cause) => {
        throw this.unreadable(section, cause);
      },
    );
  }

  /** Returns the failure for bytes that differ from the written ones. */
  corrupt(at: number, section: number, detail: string, cause?: unknown): Error {
    const lost = 'the SSTable cannot be read without it';
    const fault = { kind: 'corrupt', object: this.name, offset: at, detail, lost } as const;
    return this.failure(
      `SSTable ${this.name} is damaged: ${describeSection(section)}: ${detail}`,
      new StorageError(fault, cause),
    );
  }

  unknownFormat(version: number): Error {
    const fault = { kind: 'format', object: this.name, version } as const;
    const cause = new StorageError(fault);
    return this.failure(cause.message, cause);
  }

  reopen(reader: ObjectReader): void {
    this.reader = reader;
  }

  close(): void {
    this.reader.close();
  }

  private whole(bytes: Uint8Array, count: number, at: number, section: number): Uint8Array {
    if (count < bytes.length) throw this.corrupt(at, section, 'the file ends inside it');
    return bytes;
  }

  /** Returns `bytes` if they match the checksum of the section, and throws otherwise. */
  check(bytes: Uint8Array, place: SectionPlace, section: number): Uint8Array {
    if (sectionChecksum(bytes, this.seed, section) === place.checksum) return bytes;
    throw this.corrupt(place.at, section, 'its checksum does not match');
  }

  private unreadable(section: number, cause: unknown): Error {
    if (cause instanceof StorageError && cause.fault.kind === 'expired') {
      // A new snapshot reads a newer state, so a retry succeeds.
      const again = { status: 503, retryAfterSeconds: 1 };
      const detail = `snapshot expired: ${cause.message}`;
      return fail('storage_unavailable', detail, { stage: 'storage', cause, ...again });
    }
    const why = cause instanceof StorageError ? `: ${cause.message}` : '';
    const detail = `SSTable ${this.name} cannot be read: ${describeSection(section)}${why}`;
    if (isOutage(cause)) return fail('storage_unavailable', detail, { stage: 'storage', cause });
    const isMissing = cause instanceof StorageError && cause.fault.kind === 'missing';
    return this.failure(detail, cause, isMissing ? orManifest : '');
  }

  private failure(detail: string, cause: unknown, more = ''): Error {
    this.damaged?.noteError(this.name, cause);
    return fail('storage_unavailable', `${detail}; ${remedy}${more}`, { stage: 'storage', cause });
  }
}

/** Consequence and remedy in the message of a section that cannot be read. All other keys are unaffected. */
const remedy =
  'keys in this part of the SSTable can be neither read nor written until the file is restored from a backup';

/**
 * An SSTable is deleted once a manifest no longer names it. If that manifest is lost, an older one
 * that still names the SSTable may remain.
 */
const orManifest =
  ', or until a newer manifest that does not name the file is restored, if there was one';
