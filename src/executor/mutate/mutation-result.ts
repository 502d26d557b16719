/** The rows that a mutation returns: counted, and kept if a later statement or the client reads them. */

import type { Steps } from '#base';
import type { StatementPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import type { Sequence } from '../batch/long-list.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import type { MemoryReservation } from '../memory.ts';
import { isReadLater, listOf } from '../query-statement.ts';
import { listRows } from '../spill/list-rows.ts';
import type { RowList } from '../spill/row-list.ts';
import type { MutationContext } from './mutation-context.ts';

type MutationPlan = Extract<StatementPlan, { kind: 'create' | 'update' | 'delete' }>;

export class MutationResult {
  /** Number of rows. */
  count = 0;
  /** The rows, if they are the result of the program. */
  readonly rows: Row[] | undefined;
  private readonly mutationContext: MutationContext;
  private readonly reservation: MemoryReservation;
  /** Bytes of memory of `rows`. */
  private bytes = 0;
  private readonly list: RowList | undefined;

  constructor(mutationContext: MutationContext, plan: MutationPlan) {
    const { run, site } = mutationContext;
    this.mutationContext = mutationContext;
    this.rows = run.plan.result === plan.name ? [] : undefined;
    this.list = isReadLater(plan, run) ? listOf(plan, run, site) : undefined;
    this.reservation = mutationContext.reserve();
  }

  /** Adds rows; the caller does not change them any more. */
  *add(rows: Sequence<Row>): Steps<void> {
    const { mutationContext, list } = this;
    this.count += rows.length;
    if (list !== undefined) yield* listRows(list, rows, (count) => mutationContext.pause(count));
    if (this.rows !== undefined) yield* this.answer(this.rows, rows);
  }

  /** Keeps the memory of the rows accounted after the statement. */
  finish(): void {
    this.mutationContext.run.keep(this.bytes + (this.list?.bytes ?? 0));
  }

  private *answer(answer: Row[], rows: Sequence<Row>): Steps<void> {
    for (let i = 0; i < rows.length; i++) {
      const pause = this.mutationContext.pause();
      if (pause !== undefined) yield pause;
      const row = rows.at(i) as Row;
      this.bytes += slotBytes + rowBytes(row);
      answer.push(row);
    }
    this.reservation.resize(this.bytes);
  }
}
