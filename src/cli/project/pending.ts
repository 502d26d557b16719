/**
 * `svc.state/pending/`: the migrations that were sent and whose end was not observed, one for each database. After an interruption, the database can have a
 * schema between the start and the end of the migration. The project itself made that schema.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { type Catalog, schemaHash } from '#catalog';
import { parseSchema, planMigration, renderSchema } from '#schema';
import { parsedAs } from './json-file.ts';
import { fileNameOf, type StateDirectory } from './state-directory.ts';
import { writeWhole } from './write-file.ts';

const PendingFile = Type.Object({
  format_version: Type.Literal(1),
  database_id: Type.String(),
  /** Missing in files of earlier versions. */
  from_version: Type.Optional(Type.Integer()),
  from: Type.String(),
  to: Type.String(),
});

interface Ends {
  readonly from: Catalog;
  readonly to: Catalog;
}

interface PendingMigration extends Ends {
  /** Version of the database when the migration was sent. */
  readonly fromVersion: number | undefined;
}

export class PendingMigrations {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  /** Returns the migration, or `undefined` if none is pending or its file is unreadable and proves nothing. */
  of(databaseId: string): PendingMigration | undefined {
    const file = parsedAs(PendingFile, this.state.text(fileOf(databaseId)));
    if (file === undefined || file.database_id !== databaseId) return undefined;
    const from = catalogIn(file.from);
    const to = catalogIn(file.to);
    if (from === undefined || to === undefined) return undefined;
    return { fromVersion: file.from_version, from, to };
  }

  begin(databaseId: string, { fromVersion, from, to }: PendingMigration): void {
    const file: Static<typeof PendingFile> = {
      format_version: 1,
      database_id: databaseId,
      ...(fromVersion === undefined ? {} : { from_version: fromVersion }),
      from: renderSchema(from),
      to: renderSchema(to),
    };
    const path = this.state.prepared(fileOf(databaseId));
    writeWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
  }

  /** Deletes the record of a migration that has finished or was reverted. `now` is the current schema of the database. */
  settle(databaseId: string, now: { readonly version: number; readonly hash: string }): void {
    const migration = this.of(databaseId);
    if (migration === undefined) return;
    const isAtEnd = schemaHash(migration.to) === now.hash;
    if (isAtEnd || wasTakenBack(migration, now)) this.end(databaseId);
  }

  end(databaseId: string): void {
    rmSync(this.state.path(fileOf(databaseId)), { force: true });
  }
}

/** Returns whether the database has the starting schema at a higher version. In that case the migration was committed, and another developer reverted it. */
export function wasTakenBack(
  { fromVersion, from }: PendingMigration,
  { version, hash }: { readonly version: number; readonly hash: string },
): boolean {
  return fromVersion !== undefined && version > fromVersion && schemaHash(from) === hash;
}

/**
 * Returns whether every difference between `from` and `schema`, and every one between `schema` and `to`, is part of the migration. A table of the same name
 * that another developer made is not.
 */
export function liesBetween({ from, to }: Ends, schema: Catalog): boolean {
  const meant = summariesOf(from, to);
  const done = summariesOf(from, schema);
  const left = summariesOf(schema, to);
  return [...done, ...left].every((summary) => meant.has(summary));
}

function summariesOf(from: Catalog, to: Catalog): ReadonlySet<string> {
  const { changes, difference } = planMigration(from, to, () => false);
  return new Set([...changes.map(({ summary }) => summary), ...difference.rejections]);
}

function fileOf(databaseId: string): string {
  return join('pending', `${fileNameOf(databaseId)}.json`);
}

function catalogIn(text: string): Catalog | undefined {
  const schema = parseSchema(text, 'pending');
  return schema.kind === 'broken' ? undefined : schema.catalog;
}
