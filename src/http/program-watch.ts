/** One program, as those see it who measure and trace. */

import type { RequestFacts } from '#engine';
import type { HttpContext } from './context.ts';
import { failureOf } from './failure-of.ts';

type Statements = readonly { readonly affected: number }[];

/** A query changes nothing; how many rows it has is known by its answer alone. */
export const oneQuery: Statements = [{ affected: 0 }];

export class ProgramWatch {
  private readonly context: HttpContext;
  private readonly request: Request;
  private readonly arrivedMs: number;

  /** The program has come. */
  constructor(context: HttpContext, request: Request, { arrivedMs }: RequestFacts) {
    this.context = context;
    this.request = request;
    this.arrivedMs = arrivedMs as number;
    context.metrics?.programs.enter();
    if (context.tracing !== undefined) {
      context.traces.get(request)?.programBegan(context.clock.monotonicMs());
    }
  }

  done(isDry: boolean, statements: Statements): void {
    const { metrics, tracing } = this.context;
    metrics?.programs.leave(isDry, this.seconds(), statements);
    if (tracing !== undefined) this.tell(isDry, statements, undefined);
  }

  failed(isDry: boolean, error: unknown): void {
    const { metrics, tracing } = this.context;
    metrics?.programs.fail(isDry, this.seconds());
    if (tracing !== undefined) this.tell(isDry, [], failureOf(error, () => '').reason);
  }

  private tell(isDry: boolean, statements: Statements, errorReason: string | undefined): void {
    const { context, request } = this;
    context.traces.get(request)?.programEnded({
      statements: statements.length,
      affectedRows: statements.reduce((sum, { affected }) => sum + affected, 0),
      isDry,
      errorReason,
    });
  }

  private seconds(): number {
    return (this.context.clock.monotonicMs() - this.arrivedMs) / 1000;
  }
}
