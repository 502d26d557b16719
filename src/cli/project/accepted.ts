/**
 * `svc.state/accepted/`: the schemas that databases of this project are known to have had, one file each. A file is named by version and hash
 * and never changes, so that branches which accepted different schemas merge without a conflict.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalog, schemaHash, tableById } from '#catalog';
import { parseSchema, renderSchema } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

/** A schema that a database was seen with. */
export interface AcceptedSchema {
  /** The version that the database counted then; another database may count otherwise. */
  readonly version: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

interface AcceptedFile {
  readonly version: number;
  /** Undefined: only the content tells. */
  readonly hashStart: string | undefined;
  /** Relative to the state directory. */
  readonly path: string;
}

/** Hex digits of the hash in a file's name. */
const hashDigits = 16;
const nameOfFile = /^([0-9]{8,})-([0-9a-f]{16})\.svc\.schema\.yaml$/;
/** As earlier versions named their files. */
const earlierName = /^([0-9]{8,})\.svc\.schema\.yaml$/;

export class AcceptedSchemas {
  private readonly state: StateDirectory;
  /** Files that were read already, by their paths: reading one costs as much as reading a schema file. */
  private readonly known = new Map<string, AcceptedSchema>();

  constructor(state: StateDirectory) {
    this.state = state;
  }

  /** The accepted schema with this hash, checked; undefined when there is none. */
  find(hash: string): AcceptedSchema | undefined {
    const found = this.startingWith(startOfHash(hash));
    return found?.hash === hash ? found : undefined;
  }

  /** The accepted schema whose hash begins with what `startOfHash` gave for it. */
  startingWith(start: string): AcceptedSchema | undefined {
    for (const file of this.files()) {
      if (file.hashStart !== undefined && file.hashStart !== start) continue;
      const found = this.read(file);
      if (startOfHash(found.hash) === start) return found;
    }
    return undefined;
  }

  /** Whether a schema was accepted. A file that holds it as it is written today need not be read for that. */
  has(hash: string, catalog: Catalog): boolean {
    const file = this.files().find(({ hashStart }) => hashStart === startOfHash(hash));
    if (file !== undefined && !this.known.has(file.path)) {
      const text = bytesOf(this.state.path(file.path), this.state.shown(file.path));
      const isWritten = Buffer.from(renderSchema(catalog)).equals(text);
      if (isWritten) this.known.set(file.path, { version: file.version, hash, catalog });
    }
    return this.find(hash) !== undefined;
  }

  /** The one of the highest version; undefined when nothing was accepted yet. */
  newest(): AcceptedSchema | undefined {
    return this.newestFirst(1)[0];
  }

  /** `startOfHash` of the one of the highest version; where a file's name says it, the file is not read. */
  newestStart(): string | undefined {
    const [file] = this.files();
    return file && (file.hashStart ?? startOfHash(this.read(file).hash));
  }

  /** At most `count`, those of the highest versions. */
  newestFirst(count: number): readonly AcceptedSchema[] {
    return this.files()
      .slice(0, count)
      .map((file) => this.read(file));
  }

  all(): readonly AcceptedSchema[] {
    return this.files().map((file) => this.read(file));
  }

  /** The file, relative to the project, of the newest accepted schema in which the table of this id has this name; undefined when there is none. */
  withTable(id: number, name: string): string | undefined {
    const found = this.files().find(
      (file) => tableById(this.read(file).catalog, id)?.name === name,
    );
    return found && this.state.shown(found.path);
  }

  /** Keeps a schema for ever; the path of its file, relative to the project. */
  add({ version, hash, catalog }: AcceptedSchema): string {
    const known = this.files().find((file) => file.hashStart === startOfHash(hash));
    if (known !== undefined) return this.state.shown(known.path);
    const number = String(version).padStart(8, '0');
    const path = join('accepted', `${number}-${startOfHash(hash)}.svc.schema.yaml`);
    createWhole(this.state.prepared(path), renderSchema(catalog));
    return this.state.shown(path);
  }

  /** The highest version first. */
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
    if (parsed.kind === 'broken') throw corrupt(`${shown} is no schema file`);
    const hash = schemaHash(parsed.catalog);
    if (hashStart !== undefined && startOfHash(hash) !== hashStart) {
      throw corrupt(`${shown} is not the schema that its name says`);
    }
    return { version, hash, catalog: parsed.catalog };
  }
}

function fileOf(directory: string, name: string): AcceptedFile[] {
  const match = (directory === 'accepted' ? nameOfFile : earlierName).exec(name);
  if (match === null) return [];
  return [{ version: Number(match[1]), hashStart: match[2], path: join(directory, name) }];
}

/** The hex digits of `sha256:…` that names of files tell schemas apart by. */
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
    hint: 'restore svc.state from version control, or delete the file and take the database’s schema with `svc schema pull`',
  });
}
