/**
 * `svc.state/databases/`: the databases that this project has migrated or pulled from, a file each, named by identity. A file never changes, so
 * that branches merge without a conflict.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

export class MetDatabases {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  has(databaseId: string): boolean {
    return existsSync(this.state.path(fileOf(databaseId)));
  }

  /** `name` is what the database was called then: an environment, or its address. */
  add(databaseId: string, name: string): void {
    const file = { format_version: 1, database_id: databaseId, met_as: name };
    const path = this.state.prepared(fileOf(databaseId));
    createWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  }
}

function fileOf(databaseId: string): string {
  return join('databases', `${databaseId.replace(/[^0-9a-zA-Z-]/g, '_')}.json`);
}
