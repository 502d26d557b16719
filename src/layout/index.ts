/**
 * How rows and index entries of a table lie in the store, as keys and values.
 *
 * Nouns: a *table layout* turns a row into its key and its value and back, an *index layout* into an entry of an index; an *interval* is
 * a range of keys for bounds on columns; a *violation* is a row that a constraint under validation has found. Names are only for people:
 * no stored key depends on one. Layouts are pure, and kept as long as the record of the table that they are derived from.
 *
 * Start with `layout.ts`; the first bytes of every key are in the catalog (`stored/key-space.ts`).
 */

export type { Picked } from './column-reader.ts';
export { indexLayout } from './index-layout.ts';
export { encodeInterval } from './interval.ts';
export { SlotKeys } from './key-column-reader.ts';
export type { Bound, IndexLayout, RowReader, TableLayout } from './layout.ts';
export { rowHoldsColumn } from './row-reader.ts';
export { RunReader } from './run-reader.ts';
export { SlotGroup } from './slot-group.ts';
export { SlotReader } from './slot-reader.ts';
export { tableLayout } from './table-layout.ts';
export { TextSearch } from './text-search.ts';
export { checkIndexEntry, checkRowKey, indexTupleBytesMax } from './tuple-size.ts';
export {
  claimKey,
  claimRange,
  rowKeyOfViolation,
  rowViolationKey,
  valueOfClaim,
  violationRange,
} from './violation.ts';
