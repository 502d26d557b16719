/** Records requests in the audit log: changes before and after they happen, missing permissions, and programs. */

import { permits } from '#access';
import { type AuditedOutcome, type AuditLog, auditedPrincipal } from '#authentication';
import type { Failure } from '#failure';
import { auditedChangeAt } from '../routes/audited-changes.ts';
import type { Authority } from './authority.ts';
import { Mark } from './mark.ts';
import { pathnameOf } from './parameters.ts';

/** Records the outcome of a change. */
export type EndChange = (outcome: AuditedOutcome) => void;

interface AuditParts {
  readonly log: AuditLog;
  readonly authority: Authority;
  readonly address: (request: Request) => string | undefined;
  /** Returns a new id of a request. */
  readonly requestId: () => string;
}

/** The facts about a program that the log may contain. */
export interface AuditedProgram {
  readonly isWrite: boolean;
  readonly requestId: string | undefined;
  readonly statements: readonly string[];
  readonly tables: readonly string[];
}

const pathLengthMax = 256;

export class RequestAudit {
  private readonly parts: AuditParts;
  private readonly reasons = new Mark<string>();
  private readonly createdKeys = new Mark<string>();
  /** The changes that have begun. */
  private readonly begun = new Mark<ReturnType<RequestAudit['about']>>();
  /** The migrations that change policies, too. */
  private readonly policyChanges = new Mark<EndChange>();

  constructor(parts: AuditParts) {
    this.parts = parts;
  }

  /** Whether programs are recorded, of which some write. */
  get hasPrograms(): boolean {
    return this.parts.log.hasPrograms(true);
  }

  /** Records that a change by a route begins. Returns `undefined` for other requests. Throws if the log cannot be written. */
  begin(request: Request): ((response: Response) => void) | undefined {
    const event = auditedChangeAt(request.method, pathnameOf(request.url));
    if (event === undefined) return undefined;
    const about = this.about(request);
    const end = this.parts.log.begin(event, about);
    this.begun.set(request, about);
    return (response) => {
      const outcome = this.outcomeOf(request, response);
      end(outcome);
      this.policyChanges.get(request)?.(outcome);
    };
  }

  /** Records that a migration begins to change policies; once, if the migration is repeated. Throws if the log cannot be written. */
  beginPolicies(request: Request): void {
    if (this.policyChanges.get(request) !== undefined) return;
    const about = this.begun.get(request) ?? this.about(request);
    this.policyChanges.set(request, this.parts.log.begin('policy.changed', about));
  }

  /**
   * Records that a program that changes the catalog begins. Returns `undefined` if the principal lacks the scope: the program is refused then, and must
   * not cost a synchronous write. Throws if the log cannot be written.
   */
  beginProgram(request: Request, program: AuditedProgram): EndChange | undefined {
    if (!permits(this.parts.authority.principalOf(request).scopes, 'schema')) return undefined;
    return this.parts.log.begin('schema.changed', this.aboutProgram(request, program));
  }

  program(request: Request, program: AuditedProgram, outcome: AuditedOutcome): void {
    const { log } = this.parts;
    if (log.hasPrograms(program.isWrite)) log.program(this.aboutProgram(request, program), outcome);
  }

  /** Remembers the reason of a problem, and records a missing permission. */
  failed(request: Request, { reason }: Failure): void {
    this.reasons.set(request, reason);
    if (reason === 'insufficient_scope') this.parts.log.refused(this.about(request), reason);
  }

  /** Remembers the id of the key that the request has created. */
  createdKey(request: Request, id: string): void {
    this.createdKeys.set(request, id);
  }

  private outcomeOf(request: Request, { status }: Response): AuditedOutcome {
    const keyId = this.createdKeys.get(request);
    if (status < 400)
      return { outcome: 'succeeded', ...(keyId !== undefined && { key_id: keyId }) };
    const reason = this.reasons.get(request);
    const outcome = reason === 'insufficient_scope' ? 'refused' : 'failed';
    return { outcome, ...(reason !== undefined && { reason }) };
  }

  private about(request: Request, requestId = this.parts.requestId()) {
    const { authority, address } = this.parts;
    return {
      principal: auditedPrincipal(authority.principalOf(request)),
      address: address(request) ?? '',
      request_id: requestId,
      endpoint: `${request.method} ${pathnameOf(request.url).slice(0, pathLengthMax)}`,
    };
  }

  private aboutProgram(request: Request, { requestId, statements, tables }: AuditedProgram) {
    return { ...this.about(request, requestId), statements, tables };
  }
}
