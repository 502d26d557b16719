/** Passes the rows of a running query to its client. */

import type { Pending } from '#base';
import type { ResultSink } from '#executor';
import type { Store } from '#storage';
import type { OutputColumn, Row } from '#value';
import type { RequestContext } from './admission/request-context.ts';

/**
 * The sink of a client, as the executor sees it. The first rows wait until the state that they show is durable. While the sink waits, the request
 * holds no slot; it waits until the request ends at the longest.
 */
export class StreamedResult implements ResultSink {
  private readonly sink: ResultSink;
  private readonly store: Pick<Store, 'durable'>;
  private readonly sequence: number;
  private readonly requestContext: RequestContext;
  private isShown = false;

  constructor(
    sink: ResultSink,
    store: Pick<Store, 'durable'>,
    { sequence }: { readonly sequence: number },
    requestContext: RequestContext,
  ) {
    this.sink = sink;
    this.store = store;
    this.sequence = sequence;
    this.requestContext = requestContext;
  }

  take(rows: readonly Row[], columns: readonly OutputColumn[]): Pending | undefined {
    const { requestContext } = this;
    const durable = this.isShown ? undefined : this.store.durable(this.sequence);
    this.isShown = true;
    if (durable !== undefined) return this.takeAfter(durable, rows, columns);
    const full = this.sink.take(rows, columns);
    return full && requestContext.outside(full);
  }

  private async takeAfter(
    durable: Promise<void>,
    rows: readonly Row[],
    columns: readonly OutputColumn[],
  ): Promise<void> {
    const { requestContext } = this;
    await requestContext.outside(durable);
    const full = this.sink.take(rows, columns);
    if (full !== undefined) await requestContext.outside(full);
  }
}
