/** A table with its names and types in Go. */

import type { ClientModel, ModelColumn, ModelTable } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import { type ColumnType, columnType } from './column-type.ts';
import { quoted } from './go-text.ts';
import type { TableNames } from './names.ts';

export interface Context {
  readonly model: ClientModel;
  readonly target: Target;
  readonly names: readonly TableNames[];
}

export interface Shown {
  readonly column: ModelColumn;
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the column belongs to the primary key. */
  readonly isKey: boolean;
}

export interface TableParts {
  readonly table: ModelTable;
  readonly names: TableNames;
  readonly shown: readonly Shown[];
  /** Positions of the columns of the primary key. */
  readonly primary: readonly number[];
  /** The name on the wire, in the form for comments. */
  readonly told: string;
  /** Name of the variable that contains the descriptor. */
  readonly info: string;
}

export function partsOf({ model, target, names }: Context, at: number): TableParts {
  const table = model.tables[at] as ModelTable;
  const own = names[at] as TableNames;
  const primary = table.keys[0] as readonly number[];
  const shown = table.columns.map(
    (column, i): Shown => ({
      column,
      name: own.columns[i] as string,
      type: columnType(column, target),
      isKey: primary.includes(i),
    }),
  );
  return {
    ...{ table, names: own, shown, primary },
    ...{ told: inComment(table.name), info: `genTable${own.table}` },
  };
}

export const inComment = (text: string) => quoted(text).slice(1, -1);

/** Returns the columns at these positions. */
export const shownAt = ({ shown }: TableParts, at: readonly number[]) =>
  at.map((position) => shown[position] as Shown);
