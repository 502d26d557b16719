/**
 * Formats references to stored rows in messages: by table, column and count. The detail of a problem, a finding or a transition never contains a stored
 * value or a key, because its reader may not be allowed to read the row. A message may repeat values from the request.
 */

/** Returns a number of rows as text. `isLeast` means that counting stopped before the last row. */
export function rowsText(rows: number, isLeast: boolean): string {
  return `${isLeast ? 'at least ' : ''}${rows} ${rows === 1 ? 'row' : 'rows'}`;
}

/** Returns `column "a"` or `columns "a", "b"`. */
export function columnsText(columns: readonly { readonly name: string }[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  return `${columns.length === 1 ? 'column' : 'columns'} ${names}`;
}
