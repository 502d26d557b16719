/** Differences between two schemas in the form that users see (docs/migrations.md). */

import type { CatalogChange, TransitionStart } from '#catalog';

export type Action = CatalogChange | TransitionStart;

/** One difference. Names are those of the desired schema if it contains the object. */
export interface SchemaChange {
  readonly kind: Action['kind'] | 'policy_added' | 'policy_changed' | 'policy_removed';
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
}
