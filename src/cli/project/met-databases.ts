/**
 * `svc.state/databases/`: the databases that this project has migrated or pulled from, a file each, named by identity. A file never changes, so
 * that branches merge without a conflict.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutByteOrderMark } from '#base';
import { fileNameOf, type StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

export class MetDatabases {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  has(databaseId: string): boolean {
    return existsSync(this.state.path(fileOf(databaseId)));
  }

  /** What the database was called when it was met; undefined when it was not, and where somebody spoilt the file. */
  nameOf(databaseId: string): string | undefined {
    const path = this.state.path(fileOf(databaseId));
    return existsSync(path) ? metAs(readFileSync(path, 'utf8')) : undefined;
  }

  /** What the databases other than `databaseId` were called when they were met. */
  namesBut(databaseId: string): readonly string[] {
    const directory = this.state.path('databases');
    const files = existsSync(directory) ? readdirSync(directory).sort() : [];
    const names = files
      .filter((name) => name.endsWith('.json') && join('databases', name) !== fileOf(databaseId))
      .map((name) => metAs(readFileSync(join(directory, name), 'utf8')) ?? name);
    return [...new Set(names)];
  }

  /** `name` is what the database was called then: an environment, or its address. */
  add(databaseId: string, name: string): void {
    const file = { format_version: 1, database_id: databaseId, met_as: name };
    const path = this.state.prepared(fileOf(databaseId));
    createWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  }
}

function fileOf(databaseId: string): string {
  return join('databases', `${fileNameOf(databaseId)}.json`);
}

/** Undefined for a file that somebody spoilt. */
function metAs(text: string): string | undefined {
  try {
    const { met_as: name } = JSON.parse(withoutByteOrderMark(text)) as {
      readonly met_as?: unknown;
    };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
