/** The rows that a mutation returns: counted, and kept if a later statement or the client reads them. */

import type { Steps } from '#base';
import { DatabaseError } from '#failure';
import type { StatementPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { LongList, type Sequence } from '../batch/long-list.ts';
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
  private readonly kept: LongList<Row> | undefined;
  private readonly mutationContext: MutationContext;
  private readonly reservation: MemoryReservation;
  /** Bytes of memory of `kept`. */
  private bytes = 0;
  private readonly list: RowList | undefined;

  constructor(mutationContext: MutationContext, plan: MutationPlan) {
    const { run, site } = mutationContext;
    this.mutationContext = mutationContext;
    this.kept = run.plan.result === plan.name ? new LongList() : undefined;
    this.list = isReadLater(plan, run) ? listOf(plan, run, site) : undefined;
    this.reservation = mutationContext.reserve();
  }

  /** Adds rows; the caller does not change them any more. */
  *add(rows: Sequence<Row>): Steps<void> {
    const { mutationContext, list } = this;
    this.count += rows.length;
    if (list !== undefined) yield* listRows(list, rows, (count) => mutationContext.pause(count));
    if (this.kept !== undefined) yield* this.keep(this.kept, rows);
  }

  /**
   * Keeps the memory of the rows accounted after the statement. Returns the rows as one array with its full capacity from the start, if they are
   * the result of the program: a growing array would be copied repeatedly.
   */
  *finish(): Steps<readonly Row[] | undefined> {
    const { mutationContext, kept } = this;
    mutationContext.run.keep(this.bytes + (this.list?.bytes ?? 0));
    if (kept === undefined) return undefined;
    const rows: Row[] = new Array(kept.length);
    for (let i = 0; i < rows.length; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      rows[i] = kept.at(i) as Row;
    }
    return rows;
  }

  /** Returns the error of the mutation, with the remedy if the rows for the client use a large part of the memory. */
  explained(error: unknown): unknown {
    const { memory } = this.mutationContext.run;
    if (!(error instanceof DatabaseError) || error.failure.reason !== 'memory_limit') return error;
    if (this.bytes < memory.shareBytes) return error;
    const detail = `the response would contain the changed rows, and they need more memory than the program may use (${memory.limitName}); nothing was changed; add a query to the program and name it in "result", or change fewer rows per program`;
    return new DatabaseError({ ...error.failure, detail }, { cause: error });
  }

  private *keep(kept: LongList<Row>, rows: Sequence<Row>): Steps<void> {
    for (let i = 0; i < rows.length; i++) {
      const pause = this.mutationContext.pause();
      if (pause !== undefined) yield pause;
      const row = rows.at(i) as Row;
      this.bytes += slotBytes + rowBytes(row);
      kept.push(row);
    }
    this.reservation.resize(this.bytes);
  }
}
