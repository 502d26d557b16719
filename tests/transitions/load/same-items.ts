/** Rows of an answer against rows of the model. */

import type { Law } from './law.ts';
import type { Item } from './programs.ts';

/** What is wrong, in words; undefined when nothing is. Rows are in order of their ids. */
export function compareItems(
  law: Law,
  got: readonly Readonly<Record<string, unknown>>[],
  wanted: readonly Item[],
): string | undefined {
  const wasText = law.codes === 'text';
  for (let i = 0; i < Math.max(got.length, wanted.length); i++) {
    const item = wanted[i];
    const row = got[i];
    if (item === undefined) return `no row ${JSON.stringify(row)}`;
    if (row === undefined || !isSame(law, row, item)) {
      return `${JSON.stringify(item)} as row ${i} of ${wanted.length}`;
    }
  }
  if (wasText && got.some(({ code }) => typeof code === 'number')) law.codes = 'int64';
  return undefined;
}

function isSame(law: Law, row: Readonly<Record<string, unknown>>, item: Item): boolean {
  const { id, stock, code, tag, note, seat } = row;
  const isCode =
    typeof code === 'number'
      ? law.isReplacing && code === Number(item.code) + 0
      : code === item.code;
  return (
    isCode &&
    id === item.id &&
    stock === item.stock &&
    tag === item.tag &&
    note === item.note &&
    seat === item.seat
  );
}
