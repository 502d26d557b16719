/** Reports one program to metrics, traces, logs and the workload corpus. */

import { runSteps } from '#base';
import {
  ClientGone,
  type Engine,
  identifySteps,
  type PreparedProgram,
  type ProgramIdentity,
  type ProgramTrace,
  type RequestContext,
  type RequestFacts,
} from '#engine';
import { reasons } from '#failure';
import type { Program } from '#pir';
import type { RequestTrace } from '#telemetry';
import type { HttpContext } from '../context.ts';
import { failureOf } from '../edge/failure-of.ts';
import type { Asked } from './asked.ts';
import { rememberPlans } from './diagnosis/plan-fingerprints.ts';
import { tellProgram } from './diagnosis/program-spans.ts';
import { ProgramAudit } from './program-audit.ts';
import { applicationOf, familyOfBody, type ProgramLog, type ProgramReport } from './program-log.ts';

type Statements = readonly { readonly affected: number }[];

/** A query affects no rows. Its number of rows is known from the result. */
export const oneQuery: Statements = [{ affected: 0 }];

export class ProgramWatch {
  private readonly context: HttpContext;
  private readonly request: Request;
  private readonly arrivedMs: number;
  private readonly principal: RequestFacts['principal'];
  /** The trace of the request; `undefined` if it is not traced. */
  private readonly trace: RequestTrace | undefined;
  private evidence: ProgramTrace | undefined;
  private identity: ProgramIdentity | undefined;
  /** The plan of the program; `undefined` until there is one. */
  private prepared: PreparedProgram | undefined;
  /** The received text, if a log or the corpus may need it later. */
  private body: string | undefined;
  private isQuery = false;
  /** The workload corpus, if this process records executed programs. */
  private corpus: Engine['corpus'];
  /** The record of the program in the audit log; `undefined` if there is none. */
  private audit: ProgramAudit | undefined;
  private requestId: string | undefined;
  /** Whether the result was made for another request. */
  private isRecalled = false;
  /** Number of statements, 0 until the program is parsed and checked. */
  private statements = 0;

  /** Counts the program as received. */
  constructor(context: HttpContext, request: Request, { arrivedMs, principal }: RequestFacts) {
    this.principal = principal;
    this.context = context;
    this.request = request;
    this.arrivedMs = arrivedMs as number;
    context.metrics?.programs.enter();
    this.trace = context.tracing === undefined ? undefined : context.traces.get(request);
  }

  /** Assigns the program to `requestContext`. */
  begin(requestContext: RequestContext, { body, isQuery, dryRun, diagnosis }: Asked): void {
    const { trace, context } = this;
    this.requestId = diagnosis?.requestId ?? trace?.requestId;
    if (context.audit !== undefined && !dryRun) {
      this.audit = new ProgramAudit(context.audit, this.request, this.requestId);
    }
    if (trace !== undefined) this.evidence = context.engine().trace(requestContext, true);
    this.corpus = this.corpusOf(context.engine());
    if (context.programLog === undefined && this.corpus === undefined) return;
    this.body = body;
    this.isQuery = isQuery;
  }

  /**
   * Returns whether a cached plan can be used without parsing the text again: if no trace or log needs the identity of
   * the program, or if the plan contains it.
   */
  recognizes(program: PreparedProgram): boolean {
    this.prepared = program;
    this.statements = program.plan.statements.length;
    this.audit?.recognized(program.plan);
    if (!this.mustIdentify) return true;
    this.identity = program.identity;
    return this.identity !== undefined;
  }

  /** Records the program after it was checked. Computes its identity if a trace or log needs it. */
  checked(program: Program, { budget }: RequestContext): Promise<void> | undefined {
    this.statements = program.statements.length;
    this.audit?.checked(program);
    return this.mustIdentify ? this.identify(program, budget) : undefined;
  }

  /** Computes the plan fingerprints for the trace before the request ends. */
  gather(prepared: PreparedProgram, requestContext: RequestContext): Promise<void> | undefined {
    this.prepared = prepared;
    this.audit?.planned(prepared.plan);
    prepared.identity ??= this.identity;
    return this.evidence && rememberPlans(this.context.engine(), prepared, requestContext);
  }

  /** Records that the result was not computed by this request. */
  recalled(): void {
    this.isRecalled = true;
  }

  done(isDry: boolean, statements: Statements, resultRows: number): void {
    const { context, trace } = this;
    const seconds = this.seconds();
    context.metrics?.programs.leave(isDry, seconds, statements, resultRows);
    if (!isDry) this.corpus?.offer(this.body as string, this.isQuery);
    this.audit?.succeeded(seconds, affectedOf(statements), this.identity);
    if (trace === undefined && !this.isLogged(seconds)) return;
    this.tell(seconds, {
      isDry,
      resultRows,
      affected: statements,
      errorReason: undefined,
      errorKind: undefined,
    });
  }

  failed(isDry: boolean, error: unknown): void {
    const { context, trace } = this;
    const seconds = this.seconds();
    context.metrics?.programs.fail(isDry, seconds, this.statements);
    this.audit?.failed(seconds, errorOf(error).errorReason, this.identity);
    if (trace === undefined && !this.isLogged(seconds)) return;
    this.tell(seconds, { isDry, resultRows: 0, affected: nothing, ...errorOf(error) });
  }

  /** Returns the corpus, which does not record programs to which row policies apply: their replay would read other rows. */
  private corpusOf(engine: Engine): Engine['corpus'] {
    const { corpus } = engine;
    if (corpus === undefined || this.principal?.visibility.policies !== 'enforce') return corpus;
    return engine.catalog.policies === undefined ? corpus : undefined;
  }

  private get mustIdentify(): boolean {
    const { trace, context } = this;
    if (trace !== undefined || context.programLog?.isOfAll === true) return true;
    return context.audit?.hasPrograms === true;
  }

  private isLogged(seconds: number): boolean {
    const { programLog } = this.context;
    if (programLog === undefined) return false;
    return programLog.isOfAll || seconds * 1000 >= programLog.slowMs;
  }

  private async identify(program: Program, budget: RequestContext['budget']): Promise<void> {
    const { identity } = await runSteps(identifySteps(program, budget), budget);
    this.identity = identity;
  }

  private tell(seconds: number, end: End): void {
    const { trace, context, evidence, identity, prepared, isRecalled, arrivedMs: beganMs } = this;
    const affectedRows = affectedOf(end.affected);
    const transactionId = context.incident();
    const endedMs = beganMs + seconds * 1000;
    if (trace !== undefined) {
      const planFingerprints = prepared?.planFingerprints ?? noPlans;
      const spent = { beganMs, endedMs, evidence, isRecalled };
      const about = { ...spent, transactionId, identity, planFingerprints };
      tellProgram(trace, { ...end, ...about, affectedRows, errorType: end.errorReason });
    }
    if (this.isLogged(seconds)) this.log({ ...end, transactionId, affectedRows, seconds });
  }

  private log({ seconds, ...rest }: Logged): void {
    const { context, request, principal, trace, requestId, statements } = this;
    const { identity, body, isQuery } = this;
    const log = context.programLog as ProgramLog;
    const report: ProgramReport = {
      ...rest,
      requestId: requestId ?? context.incident(),
      traceId: trace?.traceId,
      spanId: trace?.spanId,
      principal: principal?.kind === 'open' ? undefined : principal?.id,
      clientAddress: context.transport.address(request),
      application: applicationOf(request.headers),
      durationMs: seconds * 1000,
      statements,
    };
    if (log.isOfAll) log.executed(report, identity);
    if (report.durationMs < log.slowMs) return;
    log.slow(report, () => (body === undefined ? undefined : familyOfBody(context, body, isQuery)));
  }

  private seconds(): number {
    return (this.context.clock.monotonicMs() - this.arrivedMs) / 1000;
  }
}

/** The reported result of a program. */
interface End {
  readonly isDry: boolean;
  readonly resultRows: number;
  /** Affected rows of the statements, empty if the program failed. */
  readonly affected: Statements;
  readonly errorReason: string | undefined;
  readonly errorKind: string | undefined;
}

interface Logged extends End {
  readonly transactionId: string;
  readonly affectedRows: number;
  readonly seconds: number;
}

function affectedOf(statements: Statements): number {
  return statements.reduce((sum, { affected }) => sum + affected, 0);
}

const nothing: Statements = [];
const noPlans: ReadonlyMap<string, string> = new Map();

/** Returns the reason and kind of an error. A client that disconnected is not a failure of the server. */
function errorOf(error: unknown): Pick<End, 'errorReason' | 'errorKind'> {
  if (error instanceof ClientGone) return { errorReason: 'client_gone', errorKind: undefined };
  const { reason } = failureOf(error, () => '');
  return { errorReason: reason, errorKind: reasons[reason].code };
}
