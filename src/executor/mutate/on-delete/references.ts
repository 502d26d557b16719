/** Finds the foreign keys that reference a table, and refuses the removal of referenced rows. */

import type { Steps } from '#base';
import { type ForeignKeyAction, inboundOf, type Table } from '#catalog';
import { fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import type { RowList } from '../../spill/row-list.ts';
import type { NumberedRows } from '../index-entries.ts';
import type { MutationContext } from '../mutation-context.ts';
import { keyOrdinals } from '../references.ts';
import { eachReferring, type Reference } from './referring.ts';
import { reverseAccess } from './reverse-access.ts';

/** Returns the foreign keys with this action on removed rows of `parent`. */
export function referencesWith(
  action: ForeignKeyAction,
  mutationContext: MutationContext,
  parent: Table,
): Reference[] {
  return inboundOf(mutationContext.catalog, parent.id).flatMap(({ child, foreignKey }) =>
    foreignKey.onDelete === action ? [{ child, foreignKey, parent }] : [],
  );
}

/** Returns the number of the input row that names the row of a table with this key; undefined if a foreign key removed the row. */
export type TargetNumber = (table: Table, key: Uint8Array) => Steps<number | undefined>;

/** Throws if any row refers to a removed row. `removed` contains the primary keys of the removed rows. */
export function* refuseReferences(
  mutationContext: MutationContext,
  reference: Reference,
  removed: RowList,
  targetNumber: TargetNumber,
): Steps<void> {
  const { child, foreignKey, parent } = reference;
  const look = mutationContext.run.context.trace?.references?.begin({
    table: child.name,
    foreignKey,
    accessPath: accessPath(reference),
    wanted: 'referring',
  });
  let referring: Row | undefined;
  // biome-ignore lint/correctness/useYield: the row is only kept.
  const keep = function* (found: NumberedRows) {
    referring = found.rows[0];
    return false;
  };
  yield* eachReferring(mutationContext, reference, removed, keep, 1);
  look?.end(referring !== undefined, referring !== undefined);
  if (referring === undefined) return;
  const key = referencedKey(reference, referring);
  const inputRow = yield* targetNumber(parent, key);
  throw fail(
    'constraint_violation',
    `a row of table "${parent.name}" is referenced by table "${child.name}" ` +
      `through foreign key "${foreignKey.name}"`,
    {
      execution: { table: parent.name, index: foreignKey.name },
      constraint: { kind: 'foreign_key', table: child.name, name: foreignKey.name },
      mentions: [parent, child],
      ...(inputRow !== undefined && { inputRow }),
    },
  );
}

function accessPath({ child, foreignKey }: Reference): 'primary_key' | 'index' | 'scan' {
  const { kind } = reverseAccess(child, foreignKey);
  return kind === 'primary' ? 'primary_key' : kind;
}

function referencedKey({ child, foreignKey, parent }: Reference, referring: Row): Uint8Array {
  const ordinals = keyOrdinals(child, foreignKey, parent);
  return tableLayout(parent).keyOfValues(ordinals.map((ordinal) => referring[ordinal] as Scalar));
}
