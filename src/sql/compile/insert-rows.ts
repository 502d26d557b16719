/** The rows of an INSERT as a relation whose columns have the names of the columns of the table. */

import type { RowsColumn } from '#lir';
import type { Row } from '#value';
import type { StatementValues } from '../compiled.ts';
import { column, integer, oneRow } from './build.ts';
import type { Compilation, Typed } from './compilation.ts';
import type { CellGroup } from './insert-cells.ts';
import { lateRows, type ValueSource } from './late.ts';
import { field, type TargetColumn } from './write-target.ts';

export interface InputRelation {
  readonly node: string;
  readonly scope: string;
}

/** The rows to insert. Each call of `make` adds another relation of the same rows. */
export interface Input {
  readonly columns: readonly TargetColumn[];
  readonly nullable: readonly boolean[];
  make(): InputRelation;
  /** Whether `make` may be called several times, without computing anything twice. */
  readonly isConstant: boolean;
  /** Whether there is at most one row. */
  readonly isSingle: boolean;
  /** Whether the rows of `make` have an order, or that of a list. */
  readonly hasSequence: boolean;
  /** Makes the rows with their ordinals; only of several computed rows. */
  readonly makeNumbered?: (() => InputRelation) | undefined;
}

/** Changes the rows of one execution before they are stored. */
export type RowFilter = (rows: readonly Row[]) => readonly Row[];

/** Returns the rows of a group. If all values are known before the statement runs, they are part of the program, and `filter` applies to them. */
export function inputOf(
  compilation: Compilation,
  group: CellGroup,
  filter: RowFilter = (rows) => rows,
): Input {
  const { columns, rows } = group;
  const nullable = columns.map((_, i) => rows.some((row) => row[i]?.nullable ?? false));
  const isConstant = rows.every((row) => row.every(({ source }) => source !== undefined));
  const common = { columns, nullable, isConstant, isSingle: rows.length === 1, hasSequence: true };
  if (isConstant) {
    const rowsOf = constantRows(rows.map((row) => row.map(({ source }) => source as ValueSource)));
    return { ...common, make: () => literalRows(compilation, common, (v) => filter(rowsOf(v))) };
  }
  const makeNumbered = rows.length > 1 ? () => numberedRows(compilation, group) : undefined;
  return { ...common, make: () => computedRows(compilation, group), makeNumbered };
}

function constantRows(rows: readonly (readonly ValueSource[])[]) {
  return (values: StatementValues) =>
    rows.map((row) => row.map((source) => source(values) as Row[number]));
}

function literalRows(
  compilation: Compilation,
  { columns, nullable }: Pick<Input, 'columns' | 'nullable'>,
  rows: (values: StatementValues) => readonly Row[],
): InputRelation {
  const scope = compilation.name('s');
  const list = columns.map(
    ({ column: { name }, type }, i): RowsColumn => ({
      name,
      type: type.stored,
      ...(nullable[i] && { nullable: true }),
    }),
  );
  const node = compilation.node({ kind: 'rows', scope, columns: list, rows: [] }, () =>
    lateRows(scope, list, rows),
  );
  return { node, scope };
}

/** Several rows get an ordinal, because ids are given in the order of the rows. */
function computedRows(compilation: Compilation, { columns, rows }: CellGroup): InputRelation {
  const [first] = rows;
  if (first !== undefined && rows.length === 1) return computedRow(compilation, columns, first);
  const { node, scope } = numberedRows(compilation, { columns, rows });
  return inOrder(compilation, columns, node, scope);
}

/** The rows in any order, with their ordinals in a further column. */
function numberedRows(
  compilation: Compilation,
  { columns, rows }: Pick<CellGroup, 'columns' | 'rows'>,
): InputRelation {
  const inputs = rows.map((row, i) => computedRow(compilation, columns, row, i).node);
  const scope = compilation.name('s');
  return { node: compilation.node({ kind: 'concatenate', inputs, scope }), scope };
}

/** Orders numbered rows, and leaves the ordinal out. */
export function inOrder(
  compilation: Compilation,
  columns: readonly TargetColumn[],
  node: string,
  numbered: string,
): InputRelation {
  const terms = [{ expr: column(numbered, ordinalName(columns)) }];
  const input = compilation.node({ kind: 'order', input: node, terms });
  const scope = compilation.name('s');
  const fields = columns.map(({ column: { name } }) => field(name, column(numbered, name)));
  return { node: compilation.node({ kind: 'project', input, scope, fields }), scope };
}

function computedRow(
  compilation: Compilation,
  columns: readonly TargetColumn[],
  row: readonly Typed[],
  ordinal?: number,
): InputRelation {
  const scope = compilation.name('s');
  const fields = columns.map(({ column: { name } }, i) => field(name, (row[i] as Typed).expr));
  if (ordinal !== undefined) fields.push(field(ordinalName(columns), integer(ordinal)));
  const input = oneRow(compilation);
  return { node: compilation.node({ kind: 'project', input, scope, fields }), scope };
}

/** A name that no column of the rows has. */
export function ordinalName(columns: readonly TargetColumn[]): string {
  let name = 'ordinal';
  while (columns.some(({ column }) => column.name === name)) name += '_';
  return name;
}
