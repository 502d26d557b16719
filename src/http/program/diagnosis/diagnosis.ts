/** Collects the diagnostics of one request while its program runs. */

import { runSteps } from '#base';
import {
  type Explanation,
  fingerprint,
  identifySteps,
  type PreparedProgram,
  type ProgramIdentity,
  type ProgramResponse,
  type ProgramTrace,
  type RequestContext,
  type StatementTrace,
} from '#engine';
import { type Failure, reasons } from '#failure';
import { type Program, programText } from '#pir';
import type { HttpContext } from '../../context.ts';
import type { DiagnosticsLevel } from '../diagnostics.ts';
import { diagnosticsText } from './document.ts';
import { micros, tracedMembers } from './traced-statements.ts';

interface DiagnosisOptions {
  readonly level: Exclude<DiagnosticsLevel, 'off'>;
  readonly requestId: string;
  readonly traceId: string | undefined;
}

const noWork: ProgramTrace['kv'] = {
  gets: 0,
  puts: 0,
  deletes: 0,
  scans: 0,
  forwardSeeks: 0,
  iterated: 0,
  bytesRead: 0,
  bytesWritten: 0,
};

export class Diagnosis {
  private readonly context: HttpContext;
  private readonly options: DiagnosisOptions;
  private readonly beganMs: number;
  private trace: ProgramTrace | undefined;
  private submitted: string | undefined;
  private identity: ProgramIdentity | undefined;
  private family: string | undefined;
  private exact: string | undefined;
  private explanation: Explanation | undefined;
  private isDry = false;
  private isCut = false;
  private executionMs = 0;
  private resultRows = 0;

  constructor(context: HttpContext, options: DiagnosisOptions) {
    this.context = context;
    this.options = options;
    this.beganMs = context.clock.monotonicMs();
  }

  get requestId(): string {
    return this.options.requestId;
  }

  private get isShort(): boolean {
    return this.options.level === 'summary';
  }

  /** Starts the trace after the body was received. The program will run in `requestContext`. */
  begin(requestContext: RequestContext, body: string, isDry: boolean): void {
    this.isDry = isDry;
    if (this.options.level === 'full') this.submitted = body;
    this.trace = this.context.engine().trace(requestContext, !this.isShort);
  }

  /**
   * Returns whether a cached plan can be used without parsing the text again: at level `summary`, if the identity of its
   * program is already known.
   */
  recognizes({ identity }: PreparedProgram): boolean {
    this.identity = this.isShort ? identity : undefined;
    return this.identity !== undefined;
  }

  /** Records the identity of the program after it was checked. */
  async checked(program: Program, { budget }: RequestContext): Promise<void> {
    const { identity, family } = await runSteps(identifySteps(program, budget), budget);
    this.identity = identity;
    if (!this.isShort) this.family = family;
    if (this.options.level === 'full') {
      this.exact = await runSteps(programText(program, budget), budget);
    }
  }

  /** Records a finished program. Returns `undefined` if no plan has to be explained. */
  done(
    { result, prepared }: ProgramResponse,
    requestContext: RequestContext,
  ): Promise<void> | undefined {
    this.resultRows = result?.rows.length ?? 0;
    prepared.identity ??= this.identity;
    return this.ended(requestContext);
  }

  /**
   * Records the end of a program that finished or failed. If the request was ended, plans that can no longer be
   * explained are omitted.
   */
  ended(requestContext: RequestContext): Promise<void> | undefined {
    const { trace } = this;
    if (trace === undefined) return undefined;
    const { clock } = this.context;
    if (trace.beganMs !== undefined) this.executionMs = clock.monotonicMs() - trace.beganMs;
    if (this.isShort || trace.plan === undefined) return undefined;
    return this.explain(trace.plan, requestContext);
  }

  private async explain(
    plan: NonNullable<ProgramTrace['plan']>,
    requestContext: RequestContext,
  ): Promise<void> {
    try {
      this.explanation = await this.context.engine().explainFamily(plan, requestContext);
    } catch {
      this.isCut = true;
    }
  }

  /** Returns the diagnostics as JSON. `failure` is the failure of the request, if it failed. */
  text(failure?: Failure): string {
    const { isCut, options } = this;
    const summary = this.summary(failure);
    const plans = this.isShort ? {} : { plans: this.plans() };
    this.context.programLog?.diagnosed(options.requestId, () =>
      diagnosticsText({ summary, isCut, ...plans }),
    );
    if (this.isShort) return diagnosticsText({ summary, isCut });
    return diagnosticsText({
      summary,
      isCut,
      ...(this.submitted !== undefined && { submittedProgram: this.submitted }),
      ...(this.exact !== undefined && { loweredProgram: this.exact }),
      ...(this.family !== undefined && { loweredProgramFamily: this.family }),
      ...plans,
    });
  }

  /** Builds the JSON text directly. A serializer would take a considerable part of the time of a read by key. */
  private summary(failure: Failure | undefined): string {
    const { level, requestId, traceId } = this.options;
    const { trace, identity, exact } = this;
    const { kv = noWork, planningMs = 0 } = trace ?? {};
    const known = identity?.statements ?? [];
    let statements = '';
    let affectedRows = 0;
    for (let i = 0; i < known.length; i++) {
      const affected = trace?.statements[i]?.affected;
      affectedRows += affected ?? 0;
      const status = affected === undefined ? 'pending' : 'success';
      const separator = i === 0 ? '' : ',';
      statements += `${separator}${known[i]?.text},"status":"${status}","affectedRows":${affected ?? 0}}`;
    }
    let text = `"format":"svc-program-diagnostics-v1","level":"${level}","requestId":"${requestId}"`;
    if (traceId !== undefined) text += `,"traceId":"${traceId}"`;
    text += `,"status":"${failure === undefined ? 'success' : 'error'}"`;
    text += `,"durationUs":${micros(this.context.clock.monotonicMs() - this.beganMs)}`;
    text += `,"dryRun":${this.isDry},"resultRows":${this.resultRows},"affectedRows":${affectedRows}`;
    text += `,"planningUs":${micros(planningMs)},"executionUs":${micros(this.executionMs)}`;
    text += `,"kv":{"gets":${kv.gets},"puts":${kv.puts},"deletes":${kv.deletes},"scans":${kv.scans}`;
    text += `,"forwardSeeks":${kv.forwardSeeks},"iterated":${kv.iterated}`;
    text += `,"bytesRead":${kv.bytesRead},"bytesWritten":${kv.bytesWritten}}`;
    text += `,"statements":[${statements}]`;
    if (identity !== undefined) text += `,"programFingerprint":"${identity.fingerprint}"`;
    if (failure !== undefined) {
      const { code } = reasons[failure.reason];
      text += `,"errorKind":"${code}","errorReason":"${failure.reason}"`;
    }
    if (exact !== undefined) text += `,"exactProgramFingerprint":"${fingerprint(exact)}"`;
    return text;
  }

  /** Returns the plans of the statements, and the records of the statements that began to execute. */
  private plans(): readonly object[] {
    const byName = new Map<string, StatementTrace>();
    for (const traced of this.trace?.statements ?? []) byName.set(traced.plan.name, traced);
    return (this.explanation?.statements ?? []).map(({ name, view, text }) => {
      const traced = byName.get(name);
      return {
        statement: name,
        plan: view,
        text,
        cost: { estimatedRows: view.root.estimated_rows },
        ...(traced !== undefined && tracedMembers(traced)),
      };
    });
  }
}
