/** Rows to start with: keys are distinct, references hold, unique indexes are kept, all as far as texts tell. */

import type { ColumnDefinition } from '#catalog';
import type { Query } from '#lir';
import type { MutationStatement, Program } from '#pir';
import type { Choices } from './choices.ts';
import { canBeAbsent, type Schema, type TableShape } from './schema.ts';
import { cellOf, keyText } from './values.ts';

type Cells = Readonly<Record<string, string | null>>;

/** One program a table. */
export function seedPrograms(choices: Choices, schema: Schema): readonly Program[] {
  const made = new Map<string, readonly Cells[]>();
  return schema.tables.flatMap((table) => {
    const present = presentOf(choices, table, 5);
    const rows: Cells[] = [];
    const count = choices.oneIn(20) ? 0 : 4 + choices.below(choices.oneIn(3) ? 12 : 5);
    for (let i = 0; i < count; i++) {
      const row = Object.fromEntries(
        present.map((column) => {
          const isKey = table.primaryKey.includes(column.name);
          return [column.name, isKey ? keyText(choices, column.type) : cell(choices, column)];
        }),
      );
      const chosen = new Map<string, Cells>();
      for (const key of table.foreignKeys) {
        const parents = key.ref_table === table.name ? rows : (made.get(key.ref_table) ?? []);
        refer(choices, row, key, parents, chosen);
      }
      if (isKept(table, rows, row)) rows.push(row);
    }
    made.set(table.name, rows);
    if (rows.length === 0) return [];
    return [{ statements: [createRows('seed', table.name, present, rows)] }];
  });
}

/** At least one column. */
function presentOf(choices: Choices, table: TableShape, absentOneIn: number) {
  const present = table.columns.filter(
    (column) => !canBeAbsent(column) || !choices.oneIn(absentOneIn),
  );
  return present.length === 0 ? table.columns.slice(0, 1) : present;
}

function cell(choices: Choices, { type, nullable = false, format }: ColumnDefinition) {
  return cellOf(choices, { type, nullable, ...(format !== undefined && { format }) });
}

/** Lets the row point at one of the parents, often the one that another key of it points at, or nowhere. */
function refer(
  choices: Choices,
  row: Record<string, string | null>,
  key: TableShape['foreignKeys'][number],
  parents: readonly Cells[],
  chosen: Map<string, Cells>,
): void {
  const isPresent = key.columns.every((name) => name in row);
  if (!isPresent) return;
  const earlier = chosen.get(key.ref_table);
  const isAgain = earlier !== undefined && !choices.oneIn(3);
  const isNone = parents.length === 0 || choices.oneIn(5);
  const parent = isNone ? undefined : isAgain ? earlier : choices.pick(parents);
  if (parent !== undefined) chosen.set(key.ref_table, parent);
  key.columns.forEach((name, i) => {
    row[name] = parent?.[key.ref_columns[i] as string] ?? null;
  });
}

function isKept(table: TableShape, rows: readonly Cells[], row: Cells): boolean {
  const hasNulls = table.columns.some((column) => !column.nullable && row[column.name] === null);
  const unique = [
    table.primaryKey,
    ...table.indexes.filter((index) => index.unique).map((index) => index.columns),
  ];
  const isTaken = (names: readonly string[]) =>
    names.every((name) => typeof row[name] === 'string') &&
    rows.some((other) => names.every((name) => sameText(other[name], row[name])));
  return !hasNulls && !unique.some(isTaken);
}

function sameText(a: string | null | undefined, b: string | null | undefined): boolean {
  return a === b || (`${a}${b}`.includes('-0') && Number(a) === Number(b));
}

export function createRows(
  name: string,
  table: string,
  present: readonly ColumnDefinition[],
  rows: readonly Cells[],
): MutationStatement {
  const columns = present.map(({ name, type, nullable = false }) => ({ name, type, nullable }));
  const cells = rows.map((row) => columns.map((column) => row[column.name] ?? null));
  const node = { kind: 'rows', scope: 'r', columns, rows: cells } as const;
  const relation: Query = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name, table, relation };
}

/** Rows without regard to what is there. Of a table that numbers its rows: several, mostly without numbers. */
export function anyRows(choices: Choices, name: string, table: TableShape): MutationStatement {
  const present = presentOf(choices, table, 3);
  const others = present.filter((column) => !isNumbered(column));
  const isForNumbers = others.length > 0 && table.columns.some(isNumbered) && !choices.oneIn(4);
  const kept = isForNumbers ? others : present;
  const rows = choices.many(isForNumbers ? 2 : 1, isForNumbers ? 4 : 3, () =>
    Object.fromEntries(kept.map((column) => [column.name, cell(choices, column)])),
  );
  return createRows(name, table.name, kept, rows);
}

function isNumbered({ default: given }: ColumnDefinition): boolean {
  return given !== undefined && 'func' in given && given.func === 'increment';
}
