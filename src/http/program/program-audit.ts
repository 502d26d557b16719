/** Records one program in the audit log. A program that changes the catalog is recorded before it runs, too. */

import type { PreparedProgram, ProgramIdentity } from '#engine';
import { isMutation, isRelational, type Program } from '#pir';
import type { AuditedProgram, EndChange, RequestAudit } from '../edge/request-audit.ts';

type Plan = PreparedProgram['plan'];

export class ProgramAudit {
  private readonly audit: RequestAudit;
  private readonly request: Request;
  private readonly requestId: string | undefined;
  private isWrite = false;
  private statements: readonly string[] = [];
  private tables: readonly string[] = [];
  private endChange: EndChange | undefined;

  constructor(audit: RequestAudit, request: Request, requestId: string | undefined) {
    this.audit = audit;
    this.request = request;
    this.requestId = requestId;
  }

  /** Records the kinds of the statements. Throws if a change of the catalog cannot be recorded. */
  checked({ statements }: Program): void {
    this.statements = statements.map(({ kind }) => kind);
    this.isWrite = statements.some((one) => !isRelational(one) || isMutation(one));
    if (!statements.every(isRelational)) this.begin();
  }

  /** Like `checked`, for a cached plan. */
  recognized(plan: Plan): void {
    this.statements = plan.statements.map(({ kind }) => kind);
    this.isWrite = !plan.isReadOnly;
    this.planned(plan);
    if (plan.needs.scopes.has('schema')) this.begin();
  }

  planned({ needs }: Plan): void {
    this.tables = needs.actions.map(({ table, action }) => `${table.name}:${action}`);
  }

  succeeded(seconds: number, affected: number, identity: ProgramIdentity | undefined): void {
    this.end({ outcome: 'succeeded', affected, ...figures(seconds, identity) });
  }

  failed(seconds: number, reason: string | undefined, identity: ProgramIdentity | undefined): void {
    const outcome = reason === 'insufficient_scope' ? 'refused' : 'failed';
    const why = reason === undefined ? {} : { reason };
    this.end({ outcome, ...why, ...figures(seconds, identity) });
  }

  private begin(): void {
    this.endChange ??= this.audit.beginProgram(this.request, this.about);
  }

  private end(outcome: Parameters<EndChange>[0]): void {
    this.endChange?.(outcome);
    this.audit.program(this.request, this.about, outcome);
  }

  private get about(): AuditedProgram {
    const { isWrite, requestId, statements, tables } = this;
    return { isWrite, requestId, statements, tables };
  }
}

function figures(seconds: number, identity: ProgramIdentity | undefined) {
  const fingerprint = identity === undefined ? {} : { fingerprint: identity.fingerprint };
  return { duration_ms: Math.round(seconds * 1e6) / 1000, ...fingerprint };
}
