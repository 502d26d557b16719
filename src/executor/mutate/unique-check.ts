/** Checks that the entries of a unique index are unique. */

import type { Steps } from '#base';
import { fail } from '#failure';
import type { IndexLayout } from '#layout';
import type { SortedPiece } from './entry-list.ts';
import type { MutationContext } from './mutation-context.ts';

/** Returns the number of the input row of an entry, for a failure. */
type NumberOf = (at: number) => Steps<number | undefined>;

/** Throws `constraint_violation` if a tuple without NULL occurs twice, or has an entry already. */
export function* checkUniquePiece(
  mutationContext: MutationContext,
  layout: IndexLayout,
  piece: SortedPiece,
  numberOf: NumberOf,
): Steps<void> {
  const { run, order } = piece;
  yield* refuseRepeated(mutationContext, layout, piece, numberOf);
  const complete = order.filter((at) => run.hasValue(at));
  let present = -1;
  yield* mutationContext.eachKey(run.keys, complete, (at, exists) => {
    if (exists) present = at;
    return !exists;
  });
  if (present >= 0) throw duplicate(layout, yield* numberOf(present));
}

/** Throws `constraint_violation` if a tuple occurs twice. Tuples with NULL never repeat: their keys contain the keys of their rows. */
export function* refuseRepeated(
  mutationContext: MutationContext,
  layout: IndexLayout,
  piece: SortedPiece,
  numberOf?: NumberOf,
): Steps<void> {
  const { order } = piece;
  for (let i = 0; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    if (!piece.isRepeated(i)) continue;
    throw duplicate(layout, numberOf && (yield* numberOf(order[i] as number)));
  }
}

/** Returns the failure of a repeated tuple. For `inputRow`, see `Failure`. */
export function duplicate({ table, index }: IndexLayout, inputRow?: number): Error {
  const execution = { table: table.name, index: index.name };
  const detail = `unique index "${index.name}" of table "${table.name}" would hold the same values twice`;
  const constraint = { kind: 'unique', table: table.name, name: index.name } as const;
  return fail('constraint_violation', detail, {
    execution,
    constraint,
    inputRow,
    mentions: [table],
  });
}
