/** The data work of a catalog change, which runs inside the same transaction. */

import type { Reclamation } from './stored/reclamation.ts';
import type { Table } from './table.ts';
import type { ForeignKey, Index } from './table-parts.ts';
import type { TransitionRecord } from './transition/record.ts';

export type CatalogEffect =
  /** Writes an entry for each row. If the index is `unique`, two equal tuples without NULL are a `constraint_violation`. */
  | { readonly kind: 'backfill_index'; readonly table: Table; readonly index: Index }
  /** Checks that the reference of each row exists, else fails with `constraint_violation`. */
  | {
      readonly kind: 'validate_foreign_key';
      readonly table: Table;
      readonly foreignKey: ForeignKey;
      readonly refTable: Table;
    }
  /** Stores the record of a transition that starts. */
  | { readonly kind: 'record_transition'; readonly record: TransitionRecord }
  /** Records that the rows of a table still contain cells of a deleted column. */
  | { readonly kind: 'reclaim_column'; readonly reclamation: Reclamation }
  /** Drops the key range of this physical id, which is no longer reachable. */
  | { readonly kind: 'drop_range'; readonly physicalId: number };
