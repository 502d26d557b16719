/** Rows of an answer against rows of the model. */

import type { Law } from './law.ts';
import type { CodeType, Item } from './programs.ts';

/** What is wrong, in words; undefined when nothing is. `asked` is the type of `code` that was known as the question was sent. */
export function compareItems(
  law: Law,
  asked: CodeType,
  got: readonly Readonly<Record<string, unknown>>[],
  wanted: readonly Item[],
): string | undefined {
  for (let i = 0; i < Math.max(got.length, wanted.length); i++) {
    const item = wanted[i];
    const row = got[i];
    if (item === undefined) return `no row ${JSON.stringify(row)}`;
    if (row === undefined || !isSame(law, asked, row, item)) {
      return `${JSON.stringify(item)} as row ${i} of ${wanted.length}`;
    }
  }
  if (got.some(({ code }) => typeof code === 'number')) law.codes = 'int64';
  return undefined;
}

function isSame(
  law: Law,
  asked: CodeType,
  row: Readonly<Record<string, unknown>>,
  item: Item,
): boolean {
  const { id, stock, code, tag, note, seat } = row;
  const isCode =
    typeof code === 'number'
      ? law.isReplacing && code === Number(item.code) + 0
      : asked === 'text' && code === item.code;
  return (
    isCode &&
    id === item.id &&
    stock === item.stock &&
    tag === item.tag &&
    note === item.note &&
    seat === item.seat
  );
}
