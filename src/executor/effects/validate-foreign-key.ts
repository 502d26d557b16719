/** Checks that the reference of each row exists. */

import type { Steps } from '#base';
import { type CatalogEffect, columnOrdinal } from '#catalog';
import { checkReferences } from '../mutate/references.ts';
import type { Writing } from '../mutate/writing.ts';
import { eachPiece } from './stored-rows.ts';

type Validation = Extract<CatalogEffect, { kind: 'validate_foreign_key' }>;

export function validateForeignKey(writing: Writing, effect: Validation): Steps<void> {
  const ordinals = effect.foreignKey.columns.map((id) => columnOrdinal(effect.table, id));
  return eachPiece(writing, effect.table, ordinals, (piece) =>
    checkReferences(writing, effect.table, effect.foreignKey, piece.rows),
  );
}
