/** Checks the foreign keys of written rows: the referenced rows must exist at the end of the statement. */

import { equalBytes, invariant, type Steps } from '#base';
import { columnOrdinal, type ForeignKey, type Table, tableById } from '#catalog';
import { fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import { LongList, type Sequence } from '../batch/long-list.ts';
import { distinctKeys, ownOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

export function* checkReferences(
  mutationContext: MutationContext,
  table: Table,
  foreignKey: ForeignKey,
  rows: Sequence<Row>,
): Steps<void> {
  const refTable = tableById(mutationContext.catalog, foreignKey.refTable);
  invariant(refTable !== undefined, 'a foreign key references a table of its catalog');
  const look = mutationContext.run.context.trace?.references?.begin({
    table: table.name,
    foreignKey,
    accessPath: 'primary_key',
    wanted: 'referenced',
  });
  const ordinals = keyOrdinals(table, foreignKey, refTable);
  const all = yield* referencedKeys(mutationContext, refTable, ordinals, rows);
  const keys = yield* distinctKeys(mutationContext, all.keys);
  const order = ownOrder(keys.length);
  let missing: Uint8Array | undefined;
  yield* mutationContext.eachKey(keys, order, (at, exists) => {
    if (!exists) missing = keys[at];
    return exists;
  });
  look?.end(missing === undefined && keys.length > 0, missing !== undefined);
  if (missing !== undefined) {
    const inputRow = yield* firstReferring(mutationContext, missing, { refTable, ordinals, rows });
    const detail =
      `foreign key "${foreignKey.name}" of table "${table.name}": ` +
      `the referenced row of table "${refTable.name}" does not exist`;
    const execution = { table: table.name, index: foreignKey.name };
    const mentions = [table, refTable];
    const constraint = {
      kind: 'foreign_key',
      table: table.name,
      name: foreignKey.name,
    } as const;
    throw fail('constraint_violation', detail, { execution, constraint, inputRow, mentions });
  }
  mutationContext.release(all.bytes);
}

/** Returns the keys that the rows reference. A row with NULL in the foreign key references nothing. */
function* referencedKeys(
  mutationContext: MutationContext,
  refTable: Table,
  ordinals: readonly number[],
  rows: Sequence<Row>,
): Steps<{ readonly keys: Sequence<Uint8Array>; readonly bytes: number }> {
  const layout = tableLayout(refTable);
  const keys = new LongList<Uint8Array>();
  let bytes = 0;
  const values: Scalar[] = new Array(ordinals.length);
  for (let i = 0; i < rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row = rows.at(i) as Row;
    let isExempt = false;
    for (let m = 0; m < ordinals.length; m++) {
      const value = row[ordinals[m] as number] as Scalar;
      if (value === null) isExempt = true;
      values[m] = value;
    }
    if (isExempt) continue;
    const key = layout.keyOfValues(values);
    bytes += mutationContext.holdKey(key);
    keys.push(key);
  }
  return { keys, bytes };
}

interface Referring {
  readonly refTable: Table;
  readonly ordinals: readonly number[];
  readonly rows: Sequence<Row>;
}

/** Returns the number of the first row that references `key`; there must be one. */
function* firstReferring(
  mutationContext: MutationContext,
  key: Uint8Array,
  { refTable, ordinals, rows }: Referring,
): Steps<number> {
  const layout = tableLayout(refTable);
  for (let i = 0; ; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row = rows.at(i);
    invariant(row !== undefined, 'a key that is looked up comes from a row');
    const values = ordinals.map((ordinal) => row[ordinal] as Scalar);
    if (!values.includes(null) && equalBytes(layout.keyOfValues(values), key)) return i;
  }
}

/** Returns the ordinals of the referencing columns in the order of the referenced primary key. */
export function keyOrdinals(
  table: Table,
  foreignKey: ForeignKey,
  refTable: Table,
): readonly number[] {
  return refTable.primaryKey.map((id) => {
    const member = foreignKey.refColumns.indexOf(id);
    return columnOrdinal(table, foreignKey.columns[member] as number);
  });
}
