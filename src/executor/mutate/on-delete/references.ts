/** Which foreign keys ask about rows of a table, and how one refuses. */

import type { ForeignKeyAction, Table } from '#catalog';
import { fail } from '#failure';
import type { Row } from '#value';
import type { Steps } from '../../steps.ts';
import type { Writing } from '../writing.ts';
import { inboundOf } from './inbound.ts';
import { type Reference, referencingRows } from './referencing.ts';
import { reverseAccess } from './reverse-access.ts';

/** Foreign keys that do `action` about removed rows of `parent`. */
export function referencesWith(
  action: ForeignKeyAction,
  writing: Writing,
  parent: Table,
): Reference[] {
  return inboundOf(writing.catalog, parent.id).flatMap(({ child, foreignKey }) =>
    foreignKey.onDelete === action ? [{ child, foreignKey, parent }] : [],
  );
}

/** Throws when any row refers to one of `rows`. */
export function* refuseReferences(
  writing: Writing,
  reference: Reference,
  rows: readonly Row[],
): Steps<void> {
  const { child, foreignKey, parent } = reference;
  const { kind } = reverseAccess(child, foreignKey);
  const look = writing.run.context.trace?.references?.begin({
    table: child.name,
    foreignKey,
    accessPath: kind === 'primary' ? 'primary_key' : kind,
    wanted: 'referring',
  });
  const found = yield* referencingRows(writing, reference, rows, 1);
  const isReferenced = found.rows.length > 0;
  look?.end(isReferenced, isReferenced);
  if (!isReferenced) return;
  throw fail(
    'constraint_violation',
    `a row of table "${parent.name}" is referenced by table "${child.name}" ` +
      `through foreign key "${foreignKey.name}"`,
    { execution: { table: parent.name, index: foreignKey.name } },
  );
}
