/**
 * `svc.state/databases/<identity>/`: the recorded versions of each database with their schemas. Each is a separate file that never changes, so that branches
 * merge without a conflict. Only these records distinguish a schema that a database has for the first time from one that it has again because a later schema
 * was reverted.
 */

import { join } from 'node:path';
import { startOfHash } from './accepted.ts';
import { fileNameOf, type StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

/** A database at one version. */
export interface SeenVersion {
  readonly version: number;
  /** The start of its hash, as `startOfHash` returns it. */
  readonly hashStart: string;
}

const nameOfFile = /^([0-9]{8,})-([0-9a-f]{16})\.json$/;

export class SeenVersions {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  add(databaseId: string, version: number, hash: string): void {
    const name = `${String(version).padStart(8, '0')}-${startOfHash(hash)}.json`;
    const path = this.state.prepared(join(directoryOf(databaseId), name));
    const file = { format_version: 1, schema_version: version, schema_hash: hash };
    createWhole(path, `${JSON.stringify(file)}\n`);
  }

  /**
   * Returns the versions of one database in ascending order. Two entries with the same version mean that the database was restored from a backup between them.
   */
  of(databaseId: string): readonly SeenVersion[] {
    return this.state
      .names(directoryOf(databaseId))
      .flatMap((name): SeenVersion[] => {
        const [, version, start] = nameOfFile.exec(name) ?? [];
        return version === undefined || start === undefined
          ? []
          : [{ version: Number(version), hashStart: start }];
      })
      .sort((left, right) => left.version - right.version);
  }

  /**
   * Returns the last recorded version before an external revert, or `undefined` if the database was not reverted. The last version below `version` is the state
   * from which the database came. If any database had the current schema before that state, the database was reverted to it.
   */
  cameBackFrom(databaseId: string, version: number, hash: string): SeenVersion | undefined {
    const start = startOfHash(hash);
    const seen = this.of(databaseId);
    if (seen.some((it) => it.version === version && it.hashStart === start)) return undefined;
    const before = seen.filter((it) => it.version < version).at(-1);
    if (before === undefined || before.hashStart === start) return undefined;
    return this.isEarlier(start, before.hashStart) ? before : undefined;
  }

  /** Returns whether any database had the first schema before the second. */
  isEarlier(start: string, than: string): boolean {
    return this.databases().some((name) => {
      const seen = this.of(name);
      const first = seen.find((it) => it.hashStart === start);
      return (
        first !== undefined &&
        seen.some((it) => it.hashStart === than && it.version > first.version)
      );
    });
  }

  /**
   * Returns whether another database of the project once had this schema and now has one that this database has not had since it first had this schema. If a
   * schema was reverted in one database alone, or if all databases reverted to it, no database is behind.
   */
  wentOnElsewhere(databaseId: string | undefined, hash: string): boolean {
    const start = startOfHash(hash);
    const own = databaseId === undefined ? [] : this.of(databaseId);
    const since = own.findIndex(({ hashStart }) => hashStart === start);
    const hadSince = since < 0 ? [] : own.slice(since).map(({ hashStart }) => hashStart);
    return this.databases().some((name) => {
      if (databaseId !== undefined && name === fileNameOf(databaseId)) return false;
      const seen = this.of(name);
      const last = seen.at(-1)?.hashStart;
      if (last === undefined || last === start || hadSince.includes(last)) return false;
      return seen.some(({ hashStart }) => hashStart === start);
    });
  }

  private databases(): readonly string[] {
    return this.state.names('databases').filter((name) => !name.endsWith('.json'));
  }
}

function directoryOf(databaseId: string): string {
  return join('databases', fileNameOf(databaseId));
}
