/**
 * What the generated module says of its schema at run time: one array literal of tables. Types are told by interfaces beside it, and cost nothing here.
 *
 *     ['posts', [['id', 'i', 2], ['title', 't', 0], ['class', 't', 1, 'klass']], [[0], [1]], [['author', 0, [3], [0], 1]]]
 */

/** How values of a column come and go. */
export type Code =
  /** text, bool, float64, bytes */
  | 't'
  | 'b'
  | 'f'
  | 'x'
  /** int64 as bigint, as number, as decimal text, as Date of milliseconds since 1970 */
  | 'i'
  | 'n'
  | 's'
  | 'D'
  /** text that holds JSON, parsed */
  | 'j'
  /** bytes with the format uuid, ulid, xid: their canonical text */
  | 'u'
  | 'l'
  | 'd';

/** The column takes NULL; it has a default. */
export const nullableFlag = 1;
export const defaultFlag = 2;

/**
 * Name on the wire, code, flags, and the member of the application's objects where that is another name. Then the format, where the code does not
 * tell it.
 */
export type ColumnInfo = readonly [
  name: string,
  code: Code,
  flags: number,
  member?: string | undefined,
  format?: string | undefined,
];

/**
 * Member, position of the other table, own columns, columns of the other table that equal them, and kind: `one` row that is certainly there, `maybe` one, or
 * `many`. With `through`, a table between both: its position, its columns that equal our own, and its columns that equal the other table's.
 */
export type RelationInfo = readonly [
  member: string,
  table: number,
  own: readonly number[],
  theirs: readonly number[],
  kind: 'one' | 'maybe' | 'many',
  through?: readonly [table: number, own: readonly number[], theirs: readonly number[]],
];

/** Name on the wire, columns as declared, keys (the primary key first, then each unique index, as positions of columns), relations, and the member of `t` where that is another name. */
export type TableInfo = readonly [
  name: string,
  columns: readonly ColumnInfo[],
  keys: readonly (readonly number[])[],
  relations: readonly RelationInfo[],
  member?: string | undefined,
];
