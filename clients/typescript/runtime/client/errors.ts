/** How operations fail: one class for each kind of problem. */

import { guardPrefix, statementOf } from './failed-statement.ts';

/** A problem document as the server sends it (RFC 9457); unknown members and reasons are kept. */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  readonly detail?: string;
  readonly stage?: string;
  readonly location?: {
    readonly pointer?: string;
    readonly node?: string;
    readonly binding?: string;
    readonly scope?: string;
    readonly role?: string;
  };
  readonly errors?: readonly {
    readonly reason: string;
    readonly detail: string;
    readonly location?: Problem['location'];
  }[];
  readonly execution?: {
    readonly operator?: string;
    readonly operator_id?: string;
    readonly table?: string;
    readonly index?: string;
    readonly binding?: string;
    readonly crossing?: string;
  };
  readonly resource?: { readonly kind: string; readonly name?: string };
  readonly conflict?: {
    readonly object?: string;
    readonly table?: string;
    readonly index?: string;
    readonly operation?: string;
  };
  readonly incident?: string;
}

/** The operation that failed. */
export interface Attempted {
  readonly operation: string;
  /** Number of requests that were sent, including the failed one. */
  readonly attempts: number;
  /** The builder step that the problem refers to. */
  readonly step?: string | undefined;
  readonly cause?: unknown;
}

/** A problem that the server reports, with all members of its problem document. */
export class SvcError extends Error implements Problem, Attempted {
  override name = 'SvcError';
  declare readonly type: string;
  declare readonly title: string;
  /** The HTTP status; 0 if there was no response (OutcomeUnknownError). */
  declare readonly status: number;
  declare readonly code: string;
  declare readonly reason: string;
  declare readonly detail?: string;
  declare readonly stage?: string;
  declare readonly location?: NonNullable<Problem['location']>;
  declare readonly errors?: NonNullable<Problem['errors']>;
  declare readonly execution?: NonNullable<Problem['execution']>;
  declare readonly resource?: NonNullable<Problem['resource']>;
  declare readonly conflict?: NonNullable<Problem['conflict']>;
  declare readonly incident?: string;
  declare readonly operation: string;
  declare readonly attempts: number;
  declare readonly step: string | undefined;
  /** With `debug: true`, the stack of the call that failed. */
  declare readonly callSite?: string;

  constructor(problem: Problem, at: Attempted) {
    const { operation, attempts, step, cause } = at;
    const where = step ? `, ${step}` : '';
    super(`${operation}: ${problem.detail ?? problem.title} (${problem.reason}${where})`, {
      cause,
    });
    const {
      name: _name,
      message: _message,
      stack: _stack,
      ...members
    } = problem as Problem & Partial<Error>;
    Object.assign(this, members, { operation, attempts, step });
  }
}

export class InvalidError extends SvcError {
  override name = 'InvalidError';
}

/** A row violates a primary key, a unique index, a foreign key or NOT NULL. */
export class ConstraintError extends InvalidError {
  override name = 'ConstraintError';
  get table(): string | undefined {
    return this.execution?.table;
  }
  /** The violated key or index; `undefined` if the server does not name it. */
  get key(): string | undefined {
    return this.execution?.index;
  }
}

/** A write was sent to a read-only reader. */
export class ReadOnlyError extends InvalidError {
  override name = 'ReadOnlyError';
}

/** The server has another schema than the client was generated from. */
export class SchemaMismatchError extends InvalidError {
  override name = 'SchemaMismatchError';
  /** The incompatible differences, one sentence each; empty with `schema: 'exact'`, which does not determine them. */
  readonly differences: readonly string[];
  constructor(problem: Problem, at: Attempted, differences: readonly string[] = []) {
    super(problem, at);
    this.differences = differences;
  }
}

export class ExecutionError extends SvcError {
  override name = 'ExecutionError';
}

/** A guard of a program, `p.ensure(name, …)`, failed. Nothing was changed. */
export class EnsureError extends ExecutionError {
  override name = 'EnsureError';
  /** Name of the failed guard. */
  get guard(): string {
    return statementOf(this).slice(guardPrefix.length);
  }
}

/** A query that must return exactly one row returned none or several. */
export class CardinalityError extends ExecutionError {
  override name = 'CardinalityError';
}

/** An update or a delete names a row that does not exist. */
export class TargetNotFoundError extends ExecutionError {
  override name = 'TargetNotFoundError';
}

/** A limit of recursion, memory, result size or time was exceeded. */
export class LimitError extends ExecutionError {
  override name = 'LimitError';
}

/** All attempts had a conflict: another commit came first. */
export class ConflictError extends SvcError {
  override name = 'ConflictError';
}

export class NotFoundError extends SvcError {
  override name = 'NotFoundError';
}

/** The token is missing or invalid, or does not permit the operation. */
export class AuthError extends SvcError {
  override name = 'AuthError';
}

export class InternalError extends SvcError {
  override name = 'InternalError';
}

/** A write may or may not have been applied. Check the data before you repeat it. */
export class OutcomeUnknownError extends InternalError {
  override name = 'OutcomeUnknownError';
}

/** The server is overloaded. */
export class OverloadedError extends InternalError {
  override name = 'OverloadedError';
}

/**
 * Where no usable answer came from: `connect` (nothing was sent), `response` (broken off after sending), `timeout`, `aborted` (by a signal or
 * `close`), `protocol` (what answered is no svc server).
 */
export type Phase = 'connect' | 'response' | 'timeout' | 'aborted' | 'protocol';

export class TransportError extends Error implements Attempted {
  override name = 'TransportError';
  declare readonly phase: Phase;
  declare readonly operation: string;
  declare readonly attempts: number;
  /** Whether the server may have received the operation. */
  declare readonly sent: boolean;
  /** Of an answer that cannot be read. */
  declare readonly status?: number;
  /** With `debug: true`, the stack of the call that failed. */
  declare readonly callSite?: string;

  constructor(
    message: string,
    at: Attempted & { readonly phase: Phase; readonly sent: boolean; readonly status?: number },
  ) {
    const { cause, ...members } = at;
    super(`${at.operation}: ${message}`, { cause });
    Object.assign(this, members);
  }
}
