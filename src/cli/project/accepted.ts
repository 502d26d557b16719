/**
 * `svc.state/accepted/`: the schemas that databases of this project have had, one file each. The name of a file contains the version and the start of the hash.
 * A file never changes, so branches that accepted different schemas merge without a conflict.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalog, schemaHash, tableById } from '#catalog';
import { parseSchema, renderSchema } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

/** A schema that a database has had. */
export interface AcceptedSchema {
  /** The version that the database counted. Another database can count the same schema differently. */
  readonly version: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

interface AcceptedFile {
  readonly version: number;
  /** The start of the schema hash, from the file name; `undefined` if the name has no hash, so that the content must be read. */
  readonly hashStart: string | undefined;
  /** Relative to the state directory. */
  readonly path: string;
}

/** Number of hex digits of the hash in the name of a file. */
const hashDigits = 16;
const nameOfFile = /^([0-9]{8,})-([0-9a-f]{16})\.svc\.schema\.yaml$/;
/** The format of names in earlier versions. */
const earlierName = /^([0-9]{8,})\.svc\.schema\.yaml$/;

export class AcceptedSchemas {
  private readonly state: StateDirectory;
  /** Files that have been read, by path. Reading one costs as much as reading a schema file. */
  private readonly known = new Map<string, AcceptedSchema>();

  constructor(state: StateDirectory) {
    this.state = state;
  }

  /** Returns the accepted schema with this hash after checking its file, or `undefined` if there is none. */
  find(hash: string): AcceptedSchema | undefined {
    const found = this.startingWith(startOfHash(hash));
    return found?.hash === hash ? found : undefined;
  }

  /** Returns the accepted schema whose hash starts with `start`, a result of `startOfHash`. */
  startingWith(start: string): AcceptedSchema | undefined {
    for (const file of this.files()) {
      if (file.hashStart !== undefined && file.hashStart !== start) continue;
      const found = this.read(file);
      if (startOfHash(found.hash) === start) return found;
    }
    return undefined;
  }

  /** Returns whether a schema was accepted. A file whose text equals the current serialization of the schema is not parsed. */
  has(hash: string, catalog: Catalog): boolean {
    const file = this.files().find(({ hashStart }) => hashStart === startOfHash(hash));
    if (file !== undefined && !this.known.has(file.path)) {
      const text = bytesOf(this.state.path(file.path), this.state.shown(file.path));
      const isWritten = Buffer.from(renderSchema(catalog)).equals(text);
      if (isWritten) this.known.set(file.path, { version: file.version, hash, catalog });
    }
    return this.find(hash) !== undefined;
  }

  /** Returns the accepted schema with the highest version, or `undefined` if none was accepted yet. */
  newest(): AcceptedSchema | undefined {
    return this.newestFirst(1)[0];
  }

  /** Returns `startOfHash` of the schema with the highest version. Does not read the file if its name contains the hash. */
  newestStart(): string | undefined {
    const [file] = this.files();
    return file && (file.hashStart ?? startOfHash(this.read(file).hash));
  }

  /** Returns at most `count` schemas, by descending version. */
  newestFirst(count: number): readonly AcceptedSchema[] {
    return this.files()
      .slice(0, count)
      .map((file) => this.read(file));
  }

  all(): readonly AcceptedSchema[] {
    return this.files().map((file) => this.read(file));
  }

  /**
   * Returns the file, relative to the project, of the newest accepted schema in which the table with this id has this name. Returns `undefined` if there is
   * none.
   */
  withTable(id: number, name: string): string | undefined {
    const found = this.files().find(
      (file) => tableById(this.read(file).catalog, id)?.name === name,
    );
    return found && this.state.shown(found.path);
  }

  /** Stores a schema permanently. Returns the path of its file, relative to the project. */
  add({ version, hash, catalog }: AcceptedSchema): string {
    const known = this.files().find((file) => file.hashStart === startOfHash(hash));
    if (known !== undefined) return this.state.shown(known.path);
    const number = String(version).padStart(8, '0');
    const path = join('accepted', `${number}-${startOfHash(hash)}.svc.schema.yaml`);
    createWhole(this.state.prepared(path), renderSchema(catalog));
    return this.state.shown(path);
  }

  /** Returns the files by descending version. */
  private files(): readonly AcceptedFile[] {
    const here = this.state.names('accepted').flatMap((name) => fileOf('accepted', name));
    const earlier = this.state.names('changelog').flatMap((name) => fileOf('changelog', name));
    return [...here, ...earlier].sort((left, right) => right.version - left.version);
  }

  private read(file: AcceptedFile): AcceptedSchema {
    const known = this.known.get(file.path) ?? this.checked(file);
    this.known.set(file.path, known);
    return known;
  }

  private checked({ path, version, hashStart }: AcceptedFile): AcceptedSchema {
    const shown = this.state.shown(path);
    const parsed = parseSchema(bytesOf(this.state.path(path), shown), shown);
    if (parsed.kind === 'broken') throw corrupt(`${shown} is not a schema file`);
    const hash = schemaHash(parsed.catalog);
    if (hashStart !== undefined && startOfHash(hash) !== hashStart) {
      throw corrupt(`${shown} does not contain the schema with the hash in its name`);
    }
    return { version, hash, catalog: parsed.catalog };
  }
}

function fileOf(directory: string, name: string): AcceptedFile[] {
  const match = (directory === 'accepted' ? nameOfFile : earlierName).exec(name);
  if (match === null) return [];
  return [{ version: Number(match[1]), hashStart: match[2], path: join(directory, name) }];
}

/** Returns the hex digits of `sha256:…` that identify a schema in names of files. */
export function startOfHash(hash: string): string {
  return hash.slice(hash.indexOf(':') + 1).slice(0, hashDigits);
}

function bytesOf(path: string, shown: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw corrupt(`${shown} cannot be read: ${(error as Error).message}`);
  }
}

function corrupt(message: string): CommandFailure {
  return new CommandFailure({
    code: 'accepted_state_corrupt',
    message,
    hint: 'restore svc.state from version control, or delete the file and import the schema of the database with `svc schema pull`',
  });
}
