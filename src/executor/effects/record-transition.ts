/** The first record of a transition, committed together with the catalog in which it is under way. */

import { encodeTransition, type TransitionRecord, transitionKey } from '#catalog';
import type { Writing } from '../mutate/writing.ts';

export function recordTransition(writing: Writing, record: TransitionRecord): void {
  writing.put(transitionKey(record.id), encodeTransition(record));
}
