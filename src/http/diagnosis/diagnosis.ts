/** What one request wants to know of its program, gathered on its way. */

import { runSteps } from '#base';
import type {
  Explanation,
  PreparedProgram,
  ProgramResponse,
  ProgramTrace,
  StatementTrace,
  Ticket,
} from '#engine';
import { type Failure, reasons } from '#failure';
import { type Program, programText } from '#pir';
import type { HttpContext } from '../context.ts';
import type { DiagnosticsLevel } from '../diagnostics.ts';
import { diagnosticsText } from './document.ts';
import {
  fingerprint,
  type Identity,
  identifySteps,
  keepIdentity,
  knownIdentity,
} from './identity.ts';
import { micros, tracedMembers } from './traced-statements.ts';

interface DiagnosisOptions {
  readonly level: Exclude<DiagnosticsLevel, 'off'>;
  readonly requestId: string;
  readonly traceId: string | undefined;
}

const noWork = {
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
  private identity: Identity | undefined;
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

  /** The body is there, and its program will run under `ticket`. */
  begin(ticket: Ticket, body: string, isDry: boolean): void {
    this.isDry = isDry;
    if (this.options.level === 'full') this.submitted = body;
    this.trace = this.context.engine().trace(ticket, !this.isShort);
  }

  /** Whether a program that was planned before does: its text need not be read again where little is told of it, and has been found out already. */
  recognizes(program: PreparedProgram | undefined): boolean {
    this.identity = program && this.isShort ? knownIdentity(program) : undefined;
    return this.identity !== undefined;
  }

  /** The program is a checked one. */
  async checked(program: Program, { budget }: Ticket): Promise<void> {
    const { identity, family } = await runSteps(identifySteps(program, budget), budget);
    this.identity = identity;
    if (!this.isShort) this.family = family;
    if (this.options.level === 'full') {
      this.exact = await runSteps(programText(program, budget), budget);
    }
  }

  /** The program is done. */
  async done({ result, prepared }: ProgramResponse, ticket: Ticket): Promise<void> {
    this.resultRows = result?.rows.length ?? 0;
    const { identity } = this;
    if (prepared !== undefined && identity !== undefined) keepIdentity(prepared, identity);
    await this.ended(ticket);
  }

  /** The program has failed, or is done. What a request that was ended cannot show any more is left out. */
  async ended(ticket: Ticket): Promise<void> {
    const { trace } = this;
    if (trace === undefined) return;
    const { clock } = this.context;
    if (trace.beganMs !== undefined) this.executionMs = clock.monotonicMs() - trace.beganMs;
    if (this.isShort || trace.plan === undefined) return;
    try {
      this.explanation = await this.context.engine().explainFamily(trace.plan, ticket);
    } catch {
      this.isCut = true;
    }
  }

  /** JSON text. `failure`: what the request ended with. */
  text(failure?: Failure): string {
    const { level, requestId, traceId } = this.options;
    const { trace, isCut, identity } = this;
    const affected = this.affectedRows();
    const summary = {
      format: 'svc-program-diagnostics-v1',
      level,
      requestId,
      ...(traceId !== undefined && { traceId }),
      status: failure === undefined ? 'success' : 'error',
      durationUs: micros(this.context.clock.monotonicMs() - this.beganMs),
      dryRun: this.isDry,
      resultRows: this.resultRows,
      affectedRows: affected.reduce<number>((sum, rows) => sum + (rows ?? 0), 0),
      planningUs: micros(trace?.planningMs ?? 0),
      executionUs: micros(this.executionMs),
      kv: trace?.kv ?? noWork,
      statements: (identity?.statements ?? []).map(({ name, kind }, i) => ({
        name,
        kind,
        status: affected[i] === undefined ? 'pending' : 'success',
        affectedRows: affected[i] ?? 0,
      })),
      ...(identity !== undefined && { programFingerprint: identity.fingerprint }),
      ...(failure !== undefined && {
        errorKind: reasons[failure.reason].code,
        errorReason: failure.reason,
      }),
      ...(this.exact !== undefined && { exactProgramFingerprint: fingerprint(this.exact) }),
    };
    const plans = this.isShort ? {} : { plans: this.plans() };
    this.context.programLog?.diagnosed(requestId, () =>
      diagnosticsText({ summary, isCut, ...plans }),
    );
    return diagnosticsText({
      summary,
      isCut,
      ...(this.submitted !== undefined && { submittedProgram: this.submitted }),
      ...(this.exact !== undefined && { loweredProgram: this.exact }),
      ...(this.family !== undefined && { loweredProgramFamily: this.family }),
      ...plans,
    });
  }

  /** By statement; undefined for those that are not done. */
  private affectedRows(): readonly (number | undefined)[] {
    const traced = this.trace?.statements ?? [];
    return (this.identity?.statements ?? []).map((_, i) => traced[i]?.affected);
  }

  /** Of the statements that have a plan, what they did where they have begun. */
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
