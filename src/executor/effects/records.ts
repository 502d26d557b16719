/** Writes records of work that continues after the commit. They are committed together with the catalog that requires the work. */

import {
  encodeReclamation,
  encodeTransition,
  type Reclamation,
  reclamationKey,
  type TransitionRecord,
  transitionKey,
} from '#catalog';
import type { MutationContext } from '../mutate/mutation-context.ts';

export function recordTransition(writing: MutationContext, record: TransitionRecord): void {
  writing.put(transitionKey(record.id), encodeTransition(record));
}

export function reclaimColumn(writing: MutationContext, reclamation: Reclamation): void {
  writing.put(reclamationKey(reclamation.physicalId), encodeReclamation(reclamation));
}
