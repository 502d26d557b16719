/**
 * `svc.state/pending/`: the migration of a database that was sent and whose end was not seen yet. After an interruption the database may have
 * a schema between the two that it leads from and to; that schema is this project's own work, not a stranger's.
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
  /** Files of earlier versions do not have it. */
  from_version: Type.Optional(Type.Integer()),
  from: Type.String(),
  to: Type.String(),
});

interface Ends {
  readonly from: Catalog;
  readonly to: Catalog;
}

interface PendingMigration extends Ends {
  /** That of the database when the migration was sent. */
  readonly fromVersion: number | undefined;
}

export class PendingMigrations {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  /** Undefined when no migration of this database is open, or when its file cannot be read: then it proves nothing. */
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

  /** To be called with what a database has by now: forgets a migration that came to its end, or was taken back. */
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

/** The database is where the migration began and has gone on counting: the migration was committed, and somebody has taken it back. */
export function wasTakenBack(
  { fromVersion, from }: PendingMigration,
  { version, hash }: { readonly version: number; readonly hash: string },
): boolean {
  return fromVersion !== undefined && version > fromVersion && schemaHash(from) === hash;
}

/**
 * Whether what makes `schema` another one than `from` is part of the migration, and what is missing to `to` as well: somebody else's table of
 * the same name is neither.
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
