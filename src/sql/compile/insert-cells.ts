/** The cells of the rows of VALUES as an INSERT writes them: each column of each row is a value or a default. */

import type { Node } from 'libpg-query';
import { assigned } from './assign.ts';
import type { Env, Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { itemsOf, locationOf } from './nodes.ts';
import type { Target, TargetColumn } from './write-target.ts';

/** A value, or `undefined` for a default that the server generates. */
type Cell = Typed | undefined;

/** Rows of which all have generated values in the same columns. */
export interface CellGroup {
  readonly columns: readonly TargetColumn[];
  /** The position of the first row in the list. */
  readonly start: number;
  readonly rows: readonly (readonly Typed[])[];
}

/**
 * Compiles the rows of VALUES. Columns without a value in any row are left to their defaults, unless they must not be NULL and have none, or
 * `needed` contains them.
 */
export function cellGroups(
  env: Env,
  target: Target,
  given: readonly TargetColumn[],
  lists: readonly Node[],
  needed: ReadonlySet<string>,
): readonly CellGroup[] {
  const rows = lists.map((list) => itemsOf(list));
  if (rows.some((row) => row.length !== rows[0]?.length)) {
    const message = 'VALUES lists must all be the same length';
    throw env.compilation.error('42601', message, locationOf(lists[0]));
  }
  for (const row of rows) requireLength(env, given, row);
  const written = target.columns.filter((column) => {
    const at = given.indexOf(column);
    return (at >= 0 && rows.some((row) => !isDefault(row[at]))) || isNeeded(column, needed);
  });
  const cells = rows.map((row) =>
    written.map((column) => cellOf(env, target, column, row[given.indexOf(column)])),
  );
  return groupsOf(written, cells);
}

function cellOf(env: Env, target: Target, column: TargetColumn, node: Node | undefined): Cell {
  if (node !== undefined && !isDefault(node)) {
    return assigned(env.compilation, target, column, operand(env, node), locationOf(node));
  }
  return defaultCell(env, target, column);
}

/** Returns the constant default of a column. A column without a default gets NULL. */
export function defaultCell({ compilation }: Env, target: Target, column: TargetColumn): Cell {
  const fallback = column.column.default;
  if (fallback?.kind === 'generator') return undefined;
  const value = compilation.constant(column.type, fallback?.value ?? null);
  return assigned(compilation, target, column, value, undefined);
}

/** Whether a row needs a value for a column that the statement omits. */
export function isNeeded({ column }: TargetColumn, needed: ReadonlySet<string>): boolean {
  return needed.has(column.name) || (!column.nullable && column.default === undefined);
}

function isDefault(node: Node | undefined): boolean {
  return node !== undefined && 'SetToDefault' in node;
}

/** Consecutive rows with the same generated columns make a group. */
function groupsOf(
  written: readonly TargetColumn[],
  cells: readonly (readonly Cell[])[],
): readonly CellGroup[] {
  const groups: { columns: readonly TargetColumn[]; start: number; rows: Typed[][] }[] = [];
  cells.forEach((row, start) => {
    const columns = written.filter((_, i) => row[i] !== undefined);
    const values = row.filter((cell) => cell !== undefined);
    const last = groups.at(-1);
    const isSame =
      last?.columns.length === columns.length && last.columns.every((c, i) => c === columns[i]);
    if (isSame) last.rows.push(values);
    else groups.push({ columns, start, rows: [values] });
  });
  return groups;
}

function requireLength(
  { compilation }: Env,
  given: readonly TargetColumn[],
  row: readonly Node[],
): void {
  if (row.length === given.length) return;
  const isLonger = row.length > given.length;
  const message = isLonger
    ? 'INSERT has more expressions than target columns'
    : 'INSERT has more target columns than expressions';
  throw compilation.error('42601', message, isLonger ? locationOf(row[given.length]) : undefined);
}
