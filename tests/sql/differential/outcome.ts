/** The outcome of a statement in a form that both databases share. */

import type { WireResult } from '../support/wire-client.ts';

export interface OutcomeColumn {
  readonly name: string;
  readonly oid: number;
}

export type Outcome =
  | {
      readonly kind: 'done';
      readonly columns: readonly OutcomeColumn[];
      /** Cells as text: numbers in digits, times in milliseconds since 1970. */
      readonly rows: readonly (readonly (string | null)[])[];
      readonly tag: string;
    }
  | { readonly kind: 'failed'; readonly sqlstate: string; readonly message: string };

export function outcomeOf(result: WireResult): Outcome {
  const { error, columns, rows, tag } = result;
  return error === undefined ? doneOf(columns, rows, tag) : { kind: 'failed', ...error };
}

/** Cells are texts as PostgreSQL writes them. */
export function doneOf(
  columns: readonly OutcomeColumn[],
  rows: readonly (readonly (string | null)[])[],
  tag: string,
): Outcome {
  const shared = rows.map((row) =>
    row.map((cell, i) => (cell === null ? null : sharedForm(columns[i]?.oid ?? 25, cell))),
  );
  return { kind: 'done', columns, rows: shared, tag };
}

const oids = { bool: 16, float8: 701, date: 1082, timestamp: 1114, timestamptz: 1184 };

/** Of the text that PostgreSQL sends for a value. */
function sharedForm(oid: number, text: string): string {
  switch (oid) {
    case oids.bool:
      return text === 't' ? 'true' : 'false';
    case oids.float8:
      return floatForm(Number(text));
    case oids.date:
      return String(Date.parse(`${text}T00:00:00Z`));
    case oids.timestamp:
      return String(Date.parse(`${text.replace(' ', 'T')}Z`));
    case oids.timestamptz:
      return String(Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z')));
    default:
      return text;
  }
}

/** Of two zeros in one group either may remain, so that the sign of a zero does not count. */
function floatForm(value: number): string {
  return String(value + 0);
}
