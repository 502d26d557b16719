/**
 * `svc.state/databases/`: the databases that this project has migrated or pulled from, a file each, named by identity. A file never changes, so
 * that branches merge without a conflict.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { parsedAs } from './json-file.ts';
import { fileNameOf, type StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

const MetFile = Type.Object({ met_as: Type.String() });

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
    return metAs(this.state.text(fileOf(databaseId)));
  }

  /** What the databases other than `databaseId` were called when they were met. */
  namesBut(databaseId: string): readonly string[] {
    const names = this.state
      .names('databases')
      .filter((name) => name.endsWith('.json') && join('databases', name) !== fileOf(databaseId))
      .map((name) => metAs(this.state.text(join('databases', name))) ?? name);
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

/** Undefined without a file, and for one that somebody spoilt. */
function metAs(text: string | undefined): string | undefined {
  return parsedAs(MetFile, text)?.met_as;
}
