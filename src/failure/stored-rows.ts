/**
 * How messages name rows that are stored: by table, column and count. No detail of a problem, finding or transition holds a stored value or a key, since
 * whoever reads it need not be allowed to see the row. (What a request sent itself may be named.)
 */

/** `isLeast`: counting has ended before all rows were counted. */
export function rowsText(rows: number, isLeast: boolean): string {
  return `${isLeast ? 'at least ' : ''}${rows} ${rows === 1 ? 'row' : 'rows'}`;
}

/** `column "a"`; `columns "a", "b"`. */
export function columnsText(columns: readonly { readonly name: string }[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  return `${columns.length === 1 ? 'column' : 'columns'} ${names}`;
}
