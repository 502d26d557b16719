/** Every way a request can fail, as data (docs/errors.md). The reason decides code, status and title: see reasons.ts. */

import type { Reason, Stage } from './reasons.ts';

/** Where in the submitted document; unknown members are omitted. */
export interface ProblemLocation {
  /** RFC 6901, into the submitted body; starts with `/body`, `/query` or `/path` only for HTTP validation. */
  readonly pointer?: string;
  readonly node?: string;
  readonly binding?: string;
  readonly scope?: string;
  readonly role?: string;
}

/** One of several findings. */
export interface Finding {
  readonly reason: Reason;
  readonly detail: string;
  readonly location?: ProblemLocation;
}

/** Physical identity at the moment of a run-time failure. */
export interface ExecutionContext {
  readonly operator?: string;
  readonly operator_id?: string;
  readonly table?: string;
  /** An index, or the foreign key that refused a row. */
  readonly index?: string;
  readonly binding?: string;
  readonly crossing?: string;
}

interface ResourceContext {
  readonly kind: string;
  readonly name?: string;
}

interface ConflictContext {
  readonly object?: 'table' | 'index';
  readonly table?: string;
  readonly index?: string;
  readonly operation?: 'read' | 'insert' | 'update' | 'delete';
}

export interface Failure {
  readonly reason: Reason;
  readonly detail: string;
  /** Overrides the stage of the reason. */
  readonly stage?: Stage;
  /** Overrides the status of the reason (400 instead of 422, say). */
  readonly status?: number;
  readonly location?: ProblemLocation;
  /** All findings, the problem's own one included; only when there are at least two. */
  readonly errors?: readonly Finding[];
  readonly execution?: ExecutionContext;
  /** Which row of the input of a mutation, from 0: becomes part of the location where the input stands in the document. */
  readonly inputRow?: number | undefined;
  readonly resource?: ResourceContext;
  readonly conflict?: ConflictContext;
  readonly incident?: string;
  readonly retryAfterSeconds?: number;
  /** The connection is closed after the answer. */
  readonly endsConnection?: boolean;
  /** The physical plan, when it was asked for and the failure came after planning. */
  readonly plan?: unknown;
}

/** The one carrier of a Failure; caught in `http` and `cli` only. */
export class DatabaseError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail, options);
    this.name = 'DatabaseError';
    this.failure = failure;
  }
}

/** Shorthand: `throw fail('unknown_table', 'unknown table "x"', { location })`. */
export function fail(
  reason: Reason,
  detail: string,
  more: Omit<Failure, 'reason' | 'detail'> & { readonly cause?: unknown } = {},
): DatabaseError {
  const { cause, ...members } = more;
  return new DatabaseError({ reason, detail, ...members }, cause === undefined ? {} : { cause });
}
