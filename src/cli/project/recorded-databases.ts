/**
 * `svc.state/databases/`: the databases that this project has migrated or pulled from, one file each, named by the database id. A file never changes, so
 * branches merge without a conflict.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { parsedAs } from './json-file.ts';
import { fileNameOf, type StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

const MetFile = Type.Object({ met_as: Type.String() });

export class RecordedDatabases {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  has(databaseId: string): boolean {
    return existsSync(this.state.path(fileOf(databaseId)));
  }

  /** Returns the name under which the database was recorded. Returns `undefined` if there is no record or its file is damaged. */
  nameOf(databaseId: string): string | undefined {
    return metAs(this.state.text(fileOf(databaseId)));
  }

  /** Returns the recorded names of all databases other than `databaseId`. */
  namesBut(databaseId: string): readonly string[] {
    const names = this.state
      .names('databases')
      .filter((name) => name.endsWith('.json') && join('databases', name) !== fileOf(databaseId))
      .map((name) => metAs(this.state.text(join('databases', name))) ?? name);
    return [...new Set(names)];
  }

  /** Records a database. `name` is its current environment or address. */
  add(databaseId: string, name: string): void {
    const file = { format_version: 1, database_id: databaseId, met_as: name };
    const path = this.state.prepared(fileOf(databaseId));
    createWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  }
}

function fileOf(databaseId: string): string {
  return join('databases', `${fileNameOf(databaseId)}.json`);
}

/** Returns the recorded name, or `undefined` if the file is missing or damaged. */
function metAs(text: string | undefined): string | undefined {
  return parsedAs(MetFile, text)?.met_as;
}
