/** Removed rows for which `no_action` foreign keys are checked at the end of all rounds. */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { Row } from '#value';
import { slotBytes } from '../../batch/memory-costs.ts';
import type { MutationContext } from '../mutation-context.ts';
import type { CascadeRound } from './cascade-round.ts';
import { referencesWith, refuseReferences } from './references.ts';

export class NoActionRows {
  private readonly rows = new Map<Table, Row[]>();

  /** Stores the rows of the round that a foreign key will check; returns whether there are any. */
  *take(mutationContext: MutationContext, round: CascadeRound): Steps<boolean> {
    let isKept = false;
    for (const { table, rows } of round.tables) {
      if (referencesWith('no_action', mutationContext, table).length === 0) continue;
      isKept = true;
      const kept = this.rows.get(table) ?? [];
      this.rows.set(table, kept);
      mutationContext.hold(rows.length * slotBytes);
      for (let i = 0; i < rows.length; i++) {
        const pause = mutationContext.pause();
        if (pause !== undefined) yield pause;
        kept.push(rows[i] as Row);
      }
    }
    return isKept;
  }

  /** Throws if a row still references one of the removed rows. `refuseReferences` describes `targets`. */
  *judge(mutationContext: MutationContext, targets: readonly Row[]): Steps<void> {
    for (const [parent, rows] of this.rows) {
      for (const reference of referencesWith('no_action', mutationContext, parent)) {
        yield* refuseReferences(mutationContext, reference, rows, targets);
      }
    }
  }
}
