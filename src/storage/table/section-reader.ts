/** Reads and checks sections of one table file; whatever is wrong becomes one typed failure that names file and section. */

import { fail } from '#failure';
import type { ObjectReader, RemoteParts } from '../object/store.ts';
import { isOutage, StorageError } from '../object/trouble.ts';
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

  /** `damaged` is told whatever is wrong with the table. */
  constructor(reader: ObjectReader, name: string, damaged?: DamagedTables) {
    this.reader = reader;
    this.damaged = damaged;
    this.name = name;
    this.seed = seedOfTable(name);
  }

  get fileBytes(): number {
    return this.reader.bytes;
  }

  /** Undefined while the table is on this machine. */
  get remote(): RemoteParts | undefined {
    return this.reader.remote;
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
    return this.failure(
      `table ${this.name} is damaged: ${describeSection(section)}: ${detail}`,
      new StorageError(trouble, cause),
    );
  }

  unknownFormat(version: number): Error {
    const trouble = { kind: 'format', object: this.name, version } as const;
    const cause = new StorageError(trouble);
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

  /** `bytes` if they are what the place says. */
  check(bytes: Uint8Array, place: SectionPlace, section: number): Uint8Array {
    if (sectionChecksum(bytes, this.seed, section) === place.checksum) return bytes;
    throw this.corrupt(place.at, section, 'its checksum does not match');
  }

  private unreadable(section: number, cause: unknown): Error {
    if (cause instanceof StorageError && cause.trouble.kind === 'expired') {
      // The next snapshot is a newer one, so asking again helps.
      const again = { status: 503, retryAfterSeconds: 1 };
      const detail = `snapshot expired: ${cause.message}`;
      return fail('storage_unavailable', detail, { stage: 'storage', cause, ...again });
    }
    const why = cause instanceof StorageError ? `: ${cause.message}` : '';
    const detail = `table ${this.name} cannot be read: ${describeSection(section)}${why}`;
    if (isOutage(cause)) return fail('storage_unavailable', detail, { stage: 'storage', cause });
    const isMissing = cause instanceof StorageError && cause.trouble.kind === 'missing';
    return this.failure(detail, cause, isMissing ? orManifest : '');
  }

  private failure(detail: string, cause: unknown, more = ''): Error {
    this.damaged?.noteError(this.name, cause);
    return fail('storage_unavailable', `${detail}; ${remedy}${more}`, { stage: 'storage', cause });
  }
}

/** For whoever meets it: everything else goes on. */
const remedy =
  'what this part of the table holds can be neither read nor changed until the file is restored from a backup';

/** Tables go when a manifest does without them; without that one, an older one may be left that names them still. */
const orManifest = ', or a newer manifest that did without the file, if there was one';

/** Zeros cost more than they are worth, but a buffer without them does as well when it is small. */
function emptyBytes(length: number): Uint8Array {
  return length < 4096
    ? new Uint8Array(length)
    : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
}
