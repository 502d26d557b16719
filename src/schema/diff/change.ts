/** The differences between two schemas as people read them (docs/migrations.md). */

import type { CatalogChange, TransitionStart } from '#catalog';

export type Action = CatalogChange | TransitionStart;

/** Names are those of the desired schema, where the object is in it. */
export interface SchemaChange {
  readonly kind: Action['kind'];
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
}
