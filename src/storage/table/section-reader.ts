/** Reads and checks sections of one table file; whatever is wrong becomes one typed failure that names file and section. */

import { fail } from '#failure';
import type { ObjectReader } from '../object/store.ts';
import { StorageError } from '../object/trouble.ts';
import { describeSection, sectionChecksum, seedOfTable } from './section-checksum.ts';

export interface SectionPlace {
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}

export class SectionReader {
  readonly name: string;
  readonly seed: number;
  private readonly reader: ObjectReader;

  constructor(reader: ObjectReader, name: string) {
    this.reader = reader;
    this.name = name;
    this.seed = seedOfTable(name);
  }

  get fileBytes(): number {
    return this.reader.bytes;
  }

  /** The bytes of a section, checked. A promise only when the store needs one. */
  read(place: SectionPlace, section: number): Uint8Array | Promise<Uint8Array> {
    const bytes = this.readUnchecked(place.at, place.bytes, section);
    if (bytes instanceof Promise) return bytes.then((read) => this.check(read, place, section));
    return this.check(bytes, place, section);
  }

  readUnchecked(at: number, length: number, section: number): Uint8Array | Promise<Uint8Array> {
    const target = emptyBytes(length);
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

  /** The failure for bytes that are not what was written. */
  corrupt(at: number, section: number, detail: string, cause?: unknown): Error {
    const lost = 'the table cannot be read without it';
    const trouble = { kind: 'corrupt', object: this.name, offset: at, detail, lost } as const;
    return fail(
      'storage_unavailable',
      `table ${this.name} is damaged: ${describeSection(section)}: ${detail}`,
      { stage: 'storage', cause: new StorageError(trouble, cause) },
    );
  }

  unknownFormat(version: number): Error {
    const trouble = { kind: 'format', object: this.name, version } as const;
    const cause = new StorageError(trouble);
    return fail('storage_unavailable', cause.message, { stage: 'storage', cause });
  }

  close(): void {
    this.reader.close();
  }

  private whole(bytes: Uint8Array, count: number, at: number, section: number): Uint8Array {
    if (count < bytes.length) throw this.corrupt(at, section, 'the file ends inside it');
    return bytes;
  }

  /** `bytes` if they are what the place says. */
  check(bytes: Uint8Array, place: SectionPlace, section: number): Uint8Array {
    if (sectionChecksum(bytes, this.seed, section) === place.checksum) return bytes;
    throw this.corrupt(place.at, section, 'its checksum does not match');
  }

  private unreadable(section: number, cause: unknown): Error {
    const isExpired = cause instanceof StorageError && cause.trouble.kind === 'expired';
    // The next snapshot is a newer one, so asking again helps.
    const again = isExpired ? { status: 503, retryAfterSeconds: 1 } : {};
    return fail(
      'storage_unavailable',
      isExpired
        ? `snapshot expired: ${cause.message}`
        : `table ${this.name} cannot be read: ${describeSection(section)}`,
      { stage: 'storage', cause, ...again },
    );
  }
}

/** Zeros cost more than they are worth, but a buffer without them does as well when it is small. */
function emptyBytes(length: number): Uint8Array {
  return length < 4096
    ? new Uint8Array(length)
    : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
