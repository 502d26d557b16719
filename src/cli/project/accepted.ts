/** `svc.state/`: the schema that was accepted last, and every one before it (cli.md §4). */

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Catalog, schemaHash } from '#catalog';
import { parseSchema, renderSchema } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { createWhole, writeWhole } from './write-file.ts';

const Lock = Type.Object(
  {
    format_version: Type.Literal(1),
    schema_version: Type.Integer({ minimum: 0 }),
    schema_hash: Type.String(),
    snapshot: Type.String({ pattern: '^changelog/[0-9]{8,}\\.svc\\.schema\\.yaml$' }),
  },
  { additionalProperties: false },
);

/** The schema that this project and its server agreed on last. */
export interface AcceptedSchema {
  readonly version: number;
  readonly hash: string;
  readonly catalog: Catalog;
}

/** Paths relative to the project. */
export interface AcceptedFiles {
  readonly lockfile: string;
  readonly snapshot: string;
}

export class AcceptedState {
  readonly lockfile: string;
  private readonly root: string;
  private readonly directory: string;

  constructor(root: string) {
    this.root = root;
    this.directory = join(root, 'svc.state');
    this.lockfile = join(this.directory, 'schema.lock.json');
  }

  /** Undefined when nothing was accepted yet. Throws a CommandFailure when what is there cannot be trusted. */
  read(): AcceptedSchema | undefined {
    const lock = this.readLock();
    if (lock === undefined) return undefined;
    const path = join(this.directory, lock.snapshot);
    const parsed = parseSchema(this.readSnapshot(path), this.shown(path));
    if (parsed.kind === 'broken' || schemaHash(parsed.catalog) !== lock.schema_hash) {
      throw corrupt(`${this.shown(path)} is not the schema that the lockfile names`);
    }
    const { schema_version: version, schema_hash: hash } = lock;
    return { version, hash, catalog: parsed.catalog };
  }

  /** Keeps the snapshot for ever and lets the lockfile point to it. */
  write({ version, hash, catalog }: AcceptedSchema): AcceptedFiles {
    const name = `changelog/${String(version).padStart(8, '0')}.svc.schema.yaml`;
    const path = join(this.directory, name);
    const text = renderSchema(catalog);
    if (!createWhole(path, text) && readFileSync(path, 'utf8') !== text) {
      throw new CommandFailure({
        code: 'schema_history_diverged',
        message: `${this.shown(path)} holds another schema of version ${version}`,
        hint: 'this project has followed another database; `svc schema pull --force` in a fresh directory starts anew',
      });
    }
    const lock: Static<typeof Lock> = {
      format_version: 1,
      schema_version: version,
      schema_hash: hash,
      snapshot: name,
    };
    writeWhole(this.lockfile, `${JSON.stringify(lock, undefined, 2)}\n`);
    return { lockfile: this.shown(this.lockfile), snapshot: this.shown(path) };
  }

  /** Keeps a copy of a desired schema; its path relative to the project. */
  backUp(text: string, unixMs: number): string {
    const stamp = new Date(unixMs).toISOString().replace(/[-:]|\.\d+/g, '');
    const path = join(this.directory, 'backups', `${stamp}.svc.schema.yaml`);
    writeWhole(path, text);
    return this.shown(path);
  }

  private shown(path: string): string {
    return relative(this.root, path);
  }

  private readLock(): Static<typeof Lock> | undefined {
    let text: string;
    try {
      text = readFileSync(this.lockfile, 'utf8');
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const lock: unknown = JSON.parse(text);
      if (Value.Check(Lock, lock)) return lock;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw corrupt(`${this.shown(this.lockfile)} is no lockfile of format version 1`);
  }

  private readSnapshot(path: string): Uint8Array {
    try {
      return readFileSync(path);
    } catch {
      throw corrupt(`${this.shown(path)}, which the lockfile names, cannot be read`);
    }
  }
}

function corrupt(message: string): CommandFailure {
  return new CommandFailure({
    code: 'accepted_state_corrupt',
    message,
    hint: 'restore svc.state from version control, or take the server’s schema with `svc schema pull --force`',
  });
}
