/** Defines a failed request as data (docs/errors.md). The reason decides the code, the status and the title: see reasons.ts. */

import type { Reason, Stage } from './reasons.ts';

/** A position in the submitted document. Members that are not known are omitted. */
export interface ProblemLocation {
  /**
   * RFC 6901 pointer into the submitted body. Only HTTP validation uses pointers that start with `/body`, `/query` or
   * `/path`.
   */
  readonly pointer?: string;
  readonly node?: string;
  readonly binding?: string;
  readonly scope?: string;
  readonly role?: string;
}

/** One of several errors of the same request. */
export interface Finding {
  readonly reason: Reason;
  readonly detail: string;
  readonly location?: ProblemLocation;
}

/** The operator, and the database objects that it used, when a run-time failure occurred. */
export interface ExecutionContext {
  readonly operator?: string;
  readonly operator_id?: string;
  readonly table?: string;
  /** The index involved, or the foreign key that rejected a row. */
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

/** The constraint that a row violates. Not part of the response. */
export interface ViolatedConstraint {
  /** `format`: the value does not fit the column, for example during a transition. */
  readonly kind: 'unique' | 'foreign_key' | 'not_null' | 'format';
  readonly table: string;
  /** The name of the index or the foreign key. A primary key has no name. */
  readonly name?: string;
  readonly column?: string;
}

/** A table as failures mention it. */
interface MentionedTable {
  readonly id: number;
  readonly name: string;
}

export interface Failure {
  readonly reason: Reason;
  readonly detail: string;
  /** Overrides the stage of the reason. */
  readonly stage?: Stage;
  /** Overrides the status of the reason, for example with 400 instead of 422. */
  readonly status?: number;
  readonly location?: ProblemLocation;
  /** All findings, including that of the problem itself. Present only if there are at least two. */
  readonly errors?: readonly Finding[];
  readonly execution?: ExecutionContext;
  /** The tables that `detail` and the contexts mention, if a principal may not see all of them. Not part of the response. */
  readonly mentions?: readonly MentionedTable[];
  /** The index of the input row of a mutation, from 0. The index becomes part of the location if the document contains the input. */
  readonly inputRow?: number | undefined;
  readonly constraint?: ViolatedConstraint;
  readonly resource?: ResourceContext;
  readonly conflict?: ConflictContext;
  readonly incident?: string;
  readonly retryAfterSeconds?: number;
  /** Whether the server closes the connection after the response. */
  readonly endsConnection?: boolean;
  /** The physical plan, if the request asked for it and the failure occurred after planning. */
  readonly plan?: unknown;
}

/** The only error class that carries a `Failure`. Only `http` and `cli` catch it. */
export class DatabaseError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.detail, options);
    this.name = 'DatabaseError';
    this.failure = failure;
  }
}

/** Creates the error of a failure: `throw fail('unknown_table', 'unknown table "x"', { location })`. */
export function fail(
  reason: Reason,
  detail: string,
  more: Omit<Failure, 'reason' | 'detail'> & { readonly cause?: unknown } = {},
): DatabaseError {
  const { cause, ...members } = more;
  return new DatabaseError({ reason, detail, ...members }, cause === undefined ? {} : { cause });
}
