/** The events of the audit log, as data. An event never contains a value, a claim or a token. */

import { identityOf, type Principal } from '#access';

/** `auth`: failures, refused scopes, and changes of keys, policies and the schema. `write`: also programs that write. `all`: all programs. */
export const auditLevels = ['auth', 'write', 'all'] as const;

export type AuditLevel = (typeof auditLevels)[number];

/** A change that is recorded before it happens and after it. */
export type AuditedChangeName =
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'policy.changed'
  | 'schema.changed';

interface AuditedPrincipal {
  readonly kind: Principal['kind'];
  readonly id: string;
  readonly issuer?: string;
}

/** The members that all events of a request have. */
export interface AuditedRequest {
  readonly principal?: AuditedPrincipal;
  readonly address?: string;
  readonly request_id?: string;
  /** Method and path of the route, such as `POST /execute`. */
  readonly endpoint?: string;
}

export interface AuditedWork extends AuditedRequest {
  /** The kinds of the statements. */
  readonly statements?: readonly string[];
  /** `table:action` for each table. */
  readonly tables?: readonly string[];
}

export interface AuditedOutcome {
  /** `refused`: the principal lacks a permission. */
  readonly outcome: 'succeeded' | 'failed' | 'refused';
  /** The reason of the problem. */
  readonly reason?: string;
  /** The id of the key that the request has created. */
  readonly key_id?: string;
  readonly affected?: number;
  readonly duration_ms?: number;
  readonly fingerprint?: string;
}

export function auditedPrincipal(principal: Principal): AuditedPrincipal {
  return { kind: principal.kind, ...identityOf(principal) };
}
