/** A derived binding: its body is evaluated at most once, when the first reader asks. */

import type { Pending } from '#base';
import type { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { Holding } from '../../memory.ts';
import type { Materialized, Operator, QueryRun } from '../operator.ts';

export class DerivedBinding implements Materialized {
  readonly rows: RowStore;
  private readonly body: Operator;
  private readonly holding: Holding;
  private state: 'new' | 'filling' | 'filled' = 'new';

  constructor(rows: RowStore, body: Operator, run: QueryRun) {
    this.rows = rows;
    this.body = body;
    this.holding = run.memory.holding(body.site);
  }

  fill(): Pending | undefined {
    if (this.state === 'filled') return undefined;
    if (this.state === 'new') this.body.open();
    this.state = 'filling';
    for (;;) {
      const batch = this.body.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.rows.append(batch);
      this.holding.resize(this.rows.bytes);
    }
    this.state = 'filled';
    this.body.close();
    return undefined;
  }
}
