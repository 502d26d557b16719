/** A derived binding: its body is evaluated at most once, at the first request of a reader. */

import type { Pending } from '#base';
import { Appending } from '../../batch/appending.ts';
import type { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { Materialized, Operator, QueryRun } from '../operator.ts';

export class DerivedBinding implements Materialized {
  readonly rows: RowStore;
  private readonly body: Operator;
  private readonly reservation: MemoryReservation;
  private readonly pause: (rows: number) => Pending | undefined;
  /** The batch that is being appended. */
  private appending: Appending | undefined;
  private state: 'new' | 'filling' | 'filled' = 'new';

  constructor(rows: RowStore, body: Operator, run: QueryRun) {
    this.rows = rows;
    this.body = body;
    this.reservation = run.memory.reservation(body.site);
    this.pause = (work) => run.budget.pause(work);
  }

  fill(): Pending | undefined {
    if (this.state === 'filled') return undefined;
    if (this.state === 'new') this.body.open();
    this.state = 'filling';
    for (;;) {
      const wait = this.append();
      if (wait !== undefined) return wait;
      const batch = this.body.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.appending = new Appending(this.rows, batch);
    }
    this.state = 'filled';
    this.body.close();
    return undefined;
  }

  private append(): Pending | undefined {
    const wait = this.appending?.run(this.pause);
    if (wait !== undefined) return wait;
    this.appending = undefined;
    this.reservation.resize(this.rows.bytes);
    return undefined;
  }
}
