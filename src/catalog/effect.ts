/** What a catalog change asks of the data, beyond the new records: work that runs inside the same transaction. */

import type { Reclamation } from './stored/reclamation.ts';
import type { Table } from './table.ts';
import type { ForeignKey, Index } from './table-parts.ts';
import type { TransitionRecord } from './transition/record.ts';

export type CatalogEffect =
  /** Write an entry for each row; under `unique`, two equal tuples without NULL are a `constraint_violation`. */
  | { readonly kind: 'backfill_index'; readonly table: Table; readonly index: Index }
  /** Each row's reference must exist, else `constraint_violation`. */
  | {
      readonly kind: 'validate_foreign_key';
      readonly table: Table;
      readonly foreignKey: ForeignKey;
      readonly refTable: Table;
    }
  /** Keep the record of a transition that starts. */
  | { readonly kind: 'record_transition'; readonly record: TransitionRecord }
  /** Cells of a column that is gone are left in the rows of a table. */
  | { readonly kind: 'reclaim_column'; readonly reclamation: Reclamation }
  /** The key range of this physical id holds nothing any more that can be reached. */
  | { readonly kind: 'drop_range'; readonly physicalId: number };
