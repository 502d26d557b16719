/** One program, as those see it who measure, trace and write logs. */

import type { PreparedProgram, ProgramTrace, RequestFacts, Ticket } from '#engine';
import { ClientGone } from '#engine';
import type { Program } from '#pir';
import type { RequestTrace } from '#telemetry';
import type { HttpContext } from './context.ts';
import { type Identity, identify, keepIdentity, knownIdentity } from './diagnosis/identity.ts';
import { knownPlans, rememberPlans } from './diagnosis/plan-fingerprints.ts';
import { tellProgram } from './diagnosis/program-spans.ts';
import { failureOf } from './failure-of.ts';

type Statements = readonly { readonly affected: number }[];

/** A query changes nothing; how many rows it has is known by its answer alone. */
export const oneQuery: Statements = [{ affected: 0 }];

export class ProgramWatch {
  private readonly context: HttpContext;
  private readonly arrivedMs: number;
  /** Undefined where the request is not traced. */
  private readonly trace: RequestTrace | undefined;
  private evidence: ProgramTrace | undefined;
  private identity: Identity | undefined;
  /** Of the program, once it is understood. */
  private statements = 0;

  /** The program has come. */
  constructor(context: HttpContext, request: Request, { arrivedMs }: RequestFacts) {
    this.context = context;
    this.arrivedMs = arrivedMs as number;
    context.metrics?.programs.enter();
    this.trace = context.tracing === undefined ? undefined : context.traces.get(request);
  }

  /** From now on the program belongs to `ticket`. */
  begin(ticket: Ticket): void {
    if (this.trace !== undefined) this.evidence = this.context.engine().trace(ticket, true);
  }

  /** Whether a program that was planned before does: where nobody wants to know what it is, or that is known. */
  recognizes({ program }: { readonly program: PreparedProgram }): boolean {
    this.statements = program.statements.length;
    if (this.trace === undefined) return true;
    this.identity = knownIdentity(program);
    return this.identity !== undefined;
  }

  /** The program is a checked one. */
  checked(program: Program, { budget }: Ticket): Promise<void> | undefined {
    this.statements = program.statements.length;
    return this.trace === undefined ? undefined : this.identify(program, budget);
  }

  /** What a trace tells besides is found out while the request can still do so. */
  gather(prepared: PreparedProgram | undefined, ticket: Ticket): Promise<void> | undefined {
    const { identity, evidence } = this;
    if (identity !== undefined && prepared !== undefined) keepIdentity(prepared, identity);
    return evidence && rememberPlans(this.context.engine(), evidence, ticket);
  }

  done(isDry: boolean, statements: Statements, resultRows: number): void {
    this.context.metrics?.programs.leave(isDry, this.seconds(), statements);
    if (this.trace === undefined) return;
    const affectedRows = statements.reduce((sum, { affected }) => sum + affected, 0);
    this.tell(this.trace, { isDry, resultRows, affectedRows, errorType: undefined });
  }

  failed(isDry: boolean, error: unknown): void {
    this.context.metrics?.programs.fail(isDry, this.seconds(), this.statements);
    if (this.trace === undefined) return;
    const errorType = error instanceof ClientGone ? 'client_gone' : reasonOf(error);
    this.tell(this.trace, { isDry, resultRows: 0, affectedRows: 0, errorType });
  }

  private async identify(program: Program, budget: Ticket['budget']): Promise<void> {
    const { identity } = await identify(program, budget);
    this.identity = identity;
  }

  private tell(
    trace: RequestTrace,
    end: Pick<
      Parameters<typeof tellProgram>[1],
      'isDry' | 'resultRows' | 'affectedRows' | 'errorType'
    >,
  ): void {
    const { evidence, identity, arrivedMs: beganMs, context } = this;
    tellProgram(trace, {
      ...end,
      beganMs,
      endedMs: context.clock.monotonicMs(),
      transactionId: context.incident(),
      identity,
      evidence,
      planFingerprints: knownPlans(evidence),
    });
  }

  private seconds(): number {
    return (this.context.clock.monotonicMs() - this.arrivedMs) / 1000;
  }
}

function reasonOf(error: unknown): string {
  return failureOf(error, () => '').reason;
}
