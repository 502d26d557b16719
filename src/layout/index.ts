/**
 * The encoding of rows and index entries of a table as keys and values of the store.
 *
 * Terms: a *table layout* converts a row to its key and value and back, an *index layout* converts it to an index entry. An *interval* is a
 * range of keys for bounds on columns. A *violation* is a row that a constraint under validation has found. No stored key depends on a
 * name. Layouts are pure, and live as long as the table record from which they are derived.
 *
 * Start with `layout.ts`. The first bytes of every key are defined by the catalog (`stored/key-space.ts`).
 */

export type { Picked } from './column-reader.ts';
export { indexLayout } from './index-layout.ts';
export { encodeInterval } from './interval.ts';
export { SlotKeys } from './key-column-reader.ts';
export type { IndexLayout, IntervalBound, RowReader, TableLayout } from './layout.ts';
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
