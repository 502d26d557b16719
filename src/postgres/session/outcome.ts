/** The result of a statement before it is written. */

import type { RequestContext } from '#engine';
import { type SqlColumn, sqlTypes } from '#sql';
import type { OutputColumn, Row } from '#value';

export interface ResultRows {
  /** The shown columns, which are the first ones of `output`. */
  readonly columns: readonly SqlColumn[];
  readonly output: readonly OutputColumn[];
  readonly rows: readonly Row[];
}

export interface Outcome {
  /** The command tag. That of rows gets the number of rows that are sent. */
  readonly tag: string;
  readonly isRowCount?: boolean;
  readonly result?: ResultRows | undefined;
  /** Formats of the columns that are not those of the request, as of a binary cursor. */
  readonly formats?: readonly number[];
  /** Holds the memory of the rows until it is closed. */
  readonly held?: RequestContext | undefined;
}

/** Returns a result of texts. */
export function textResult(
  names: readonly string[],
  rows: readonly (readonly string[])[],
): ResultRows {
  const columns = textColumns(names);
  const output = names.map((name) => ({ name, type: { kind: 'text' }, nullable: false }) as const);
  return { columns, output, rows };
}

export function textColumns(names: readonly string[]): readonly SqlColumn[] {
  return names.map((name) => ({ name, type: sqlTypes.text, shape: { kind: 'scalar' } }));
}
