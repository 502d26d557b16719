/** Finds the foreign keys that reference a table, and refuses the removal of referenced rows. */

import { equalBytes, type Steps } from '#base';
import { type ForeignKeyAction, inboundOf, type Table } from '#catalog';
import { fail } from '#failure';
import { tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import type { MutationContext } from '../mutation-context.ts';
import { keyOrdinals } from '../references.ts';
import { type Reference, referencingRows } from './referencing.ts';
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

/** Throws if any row refers to one of `rows`. `targets` are the rows that the statement selects, in input order. */
export function* refuseReferences(
  mutationContext: MutationContext,
  reference: Reference,
  rows: readonly Row[],
  targets: readonly Row[],
): Steps<void> {
  const { child, foreignKey, parent } = reference;
  const look = mutationContext.run.context.trace?.references?.begin({
    table: child.name,
    foreignKey,
    accessPath: accessPath(reference),
    wanted: 'referring',
  });
  const found = yield* referencingRows(mutationContext, reference, rows, 1);
  const isReferenced = found.rows.length > 0;
  look?.end(isReferenced, isReferenced);
  if (!isReferenced) return;
  const referenced = yield* referencedRow(mutationContext, reference, rows, found.rows[0] as Row);
  const inputRow = referenced === undefined ? -1 : targets.indexOf(referenced);
  throw fail(
    'constraint_violation',
    `a row of table "${parent.name}" is referenced by table "${child.name}" ` +
      `through foreign key "${foreignKey.name}"`,
    {
      execution: { table: parent.name, index: foreignKey.name },
      // Other rows are removed because of a target, and have no input row.
      ...(inputRow >= 0 && { inputRow }),
    },
  );
}

function accessPath({ child, foreignKey }: Reference): 'primary_key' | 'index' | 'scan' {
  const { kind } = reverseAccess(child, foreignKey);
  return kind === 'primary' ? 'primary_key' : kind;
}

/** Returns the row of `rows` to which `referring` refers. */
function* referencedRow(
  mutationContext: MutationContext,
  { child, foreignKey, parent }: Reference,
  rows: readonly Row[],
  referring: Row,
): Steps<Row | undefined> {
  const layout = tableLayout(parent);
  const ordinals = keyOrdinals(child, foreignKey, parent);
  const key = layout.keyOfValues(ordinals.map((ordinal) => referring[ordinal] as Scalar));
  for (const row of rows) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    if (equalBytes(layout.keyOfRow(row), key)) return row;
  }
  return undefined;
}
