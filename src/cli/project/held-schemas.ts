/**
 * `svc.state/local/`: the accepted schemas that this copy of the project has had in its schema file, a marker each. They are of this machine
 * alone: what came by a merge of branches is known to the project, but a table that this copy's file never had was not deleted here.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '#catalog';
import { type AcceptedSchemas, startOfHash } from './accepted.ts';
import type { PendingMigrations } from './pending.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

const directory = 'local';

export class HeldSchemas {
  private readonly state: StateDirectory;
  private readonly accepted: AcceptedSchemas;
  private readonly pending: PendingMigrations;

  constructor(state: StateDirectory, accepted: AcceptedSchemas, pending: PendingMigrations) {
    this.state = state;
    this.accepted = accepted;
    this.pending = pending;
  }

  add(hash: string): void {
    // A state directory of an earlier version ignores other names only.
    createWhole(this.state.prepared(join(directory, '.gitignore')), '*\n');
    createWhole(this.state.prepared(join(directory, startOfHash(hash))), `${hash}\n`);
  }

  /** Those, and where an open migration of the database leads. */
  catalogs(databaseId: string | undefined): readonly Catalog[] {
    const path = this.state.path(directory);
    const names = existsSync(path) ? readdirSync(path).sort() : [];
    const accepted = names.flatMap((name) => this.accepted.startingWith(name)?.catalog ?? []);
    const migration = databaseId === undefined ? undefined : this.pending.of(databaseId);
    return migration === undefined ? accepted : [...accepted, migration.to];
  }
}
