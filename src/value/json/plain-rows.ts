/**
 * Parses arrays of arrays of strings and nulls, the usual form of many rows. JSON.parse would look up each short string in a global table,
 * which takes several times as long as the rest of its work if the strings differ.
 */

import { blankEnd, plainStringEnd } from './scan.ts';

const quote = 0x22;
const comma = 0x2c;
const opening = 0x5b;
const closing = 0x5d;

/**
 * Returns the result of JSON.parse; `undefined` if the text has another form or is malformed. The strings are slices of `text`, which they
 * keep in memory.
 */
export function parsePlainRows(text: string): (string | null)[][] | undefined {
  if (text.charCodeAt(0) !== opening) return undefined;
  const rows: (string | null)[][] = [];
  let at = blankEnd(text, 1);
  for (;;) {
    if (text.charCodeAt(at) !== opening) return undefined;
    const row: (string | null)[] = [];
    at = rowEnd(text, at + 1, row);
    if (at < 0) return undefined;
    rows.push(row);
    at = blankEnd(text, at);
    const unit = text.charCodeAt(at);
    if (unit === closing) break;
    if (unit !== comma) return undefined;
    at = blankEnd(text, at + 1);
  }
  return blankEnd(text, at + 1) === text.length ? rows : undefined;
}

/** Appends the cells from `from` on to `row` and returns the end of the row; -1 if it is not a row of strings and nulls. */
function rowEnd(text: string, from: number, row: (string | null)[]): number {
  for (let at = blankEnd(text, from); ; at = blankEnd(text, at + 1)) {
    if (text.charCodeAt(at) === quote) {
      const end = plainStringEnd(text, at + 1, text.length);
      if (end < 0) return -1;
      row.push(text.slice(at + 1, end));
      at = end + 1;
    } else if (text.startsWith('null', at)) {
      row.push(null);
      at += 4;
    } else return -1;
    at = blankEnd(text, at);
    const unit = text.charCodeAt(at);
    if (unit === closing) return at + 1;
    if (unit !== comma) return -1;
  }
}
