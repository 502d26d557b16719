/** A difference as a file of tests/cases: the state before it as seed, the program, and what the oracle expects of it. */

import type { CatalogChange, ColumnDefault, ColumnDefinition } from '#catalog';
import type { Program } from '#pir';
import type { Database, Outcome } from '../oracle/index.ts';
import { tableTexts } from '../oracle/index.ts';
import type { Case, SeedGroup } from '../support/case.ts';
import { parseLossless } from '../support/lossless.ts';
import type { FileColumn, FileTable, SchemaFile } from '../support/schema-file.ts';

export type CaseFile = Omit<Case, 'theme'>;

/** `expected`: absent while it is not known. */
export function caseOf(
  name: string,
  changes: readonly CatalogChange[],
  before: Database,
  program: Program,
  expected: Outcome,
): CaseFile {
  const isCatalog = program.statements.some((statement) => !('relation' in statement));
  return {
    name,
    schema: schemaFile(changes),
    seed: seedOf(before),
    program,
    ...(isCatalog && { mode: 'direct' as const }),
    ...expectationOf(expected),
  };
}

function expectationOf(expected: Outcome) {
  if (expected.kind !== 'done')
    return { error: expected.errors.map(plain)[0] as { code: string; reason: string } };
  return { result: parseLossless(expected.result), affected: expected.affected };
}

function plain({ code, reason }: { readonly code: string; readonly reason: string }) {
  return { code, reason };
}

function schemaFile(changes: readonly CatalogChange[]): SchemaFile {
  const tables = changes.flatMap((change) =>
    change.kind === 'create_table' ? [change.table] : [],
  );
  return {
    tables: tables.map(
      (table): FileTable => ({
        id: table.id as number,
        name: table.name,
        columns: table.columns.map(fileColumn),
        primary_key: table.primary_key,
        ...(table.indexes?.length && { indexes: table.indexes }),
        ...(table.foreign_keys?.length && { foreign_keys: table.foreign_keys }),
      }),
    ),
  };
}

function fileColumn({ default: given, ...column }: ColumnDefinition): FileColumn {
  const shown = given === undefined ? {} : { default: defaultText(given) };
  return { ...column, id: column.id as number, ...shown } as FileColumn;
}

function defaultText(given: ColumnDefault): string | number | boolean {
  return given.kind === 'generator'
    ? `${given.func}()`
    : (given.value as string | number | boolean);
}

/** In the order of the tables, which is that of their foreign keys. */
function seedOf(before: Database): readonly SeedGroup[] {
  return [...tableTexts(before)]
    .filter(([, rows]) => rows.length > 0)
    .map(([table, rows]) => ({
      table,
      rows: rows.map((row) => parseLossless(row) as Readonly<Record<string, unknown>>),
    }));
}

/** JSON with exact integers and the sign of zero. */
export function caseText(file: CaseFile): string {
  return `${JSON.stringify(file, exact, 2).replace(/"\\u0001([^"]*)"/g, '$1')}\n`;
}

/** Numbers that JSON.stringify refuses or changes, marked by a character that nothing else has. */
function exact(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `\u0001${value}`;
  return Object.is(value, -0) ? '\u0001-0.0' : value;
}
