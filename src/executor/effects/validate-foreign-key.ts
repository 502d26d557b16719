/** Checks that the reference of each row exists. */

import type { Steps } from '#base';
import { type CatalogEffect, columnOrdinal } from '#catalog';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { checkReferences } from '../mutate/references.ts';
import { eachPiece } from './stored-rows.ts';

type Validation = Extract<CatalogEffect, { kind: 'validate_foreign_key' }>;

export function validateForeignKey(
  mutationContext: MutationContext,
  effect: Validation,
): Steps<void> {
  const ordinals = effect.foreignKey.columns.map((id) => columnOrdinal(effect.table, id));
  return eachPiece(mutationContext, effect.table, ordinals, (piece) =>
    checkReferences(mutationContext, effect.table, effect.foreignKey, piece.rows),
  );
}
