/** Errors as the protocol shows them: a SQLSTATE with messages, from every kind of error that a session can meet. */

import { ClientGone } from '#engine';
import { DatabaseError, type Failure, reasons, type ViolatedConstraint } from '#failure';
import { SqlError } from '#sql';
import type { NoticeFields } from '../codec/backend.ts';
import { ProtocolError } from '../codec/protocol-error.ts';
import { internalState, sqlstates } from './sqlstates.ts';

export interface ErrorReport {
  readonly sqlstate: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** In characters of the text of the message, from 1. */
  readonly position?: number | undefined;
  /** Our reason; the field R. */
  readonly reason?: string | undefined;
  readonly constraint?: ViolatedConstraint | undefined;
  /** Whether the connection ends. */
  readonly isFatal: boolean;
  /** Set for an error that is a defect of this server. The client learns its incident only. */
  readonly defect?: unknown;
}

const constraintStates: Readonly<Record<ViolatedConstraint['kind'], string>> = {
  unique: '23505',
  foreign_key: '23503',
  not_null: '23502',
  format: '22023',
};

const retryHint = 'Nothing was changed. Run the transaction again.';

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof SqlError) return { ...error.trouble, isFatal: false };
  if (error instanceof ProtocolError) {
    return { sqlstate: error.sqlstate, message: error.message, isFatal: true };
  }
  if (error instanceof DatabaseError) return ofFailure(error);
  if (error instanceof ClientGone) {
    return { sqlstate: '08006', message: 'the connection was closed', isFatal: true };
  }
  const message = 'internal error';
  return { sqlstate: internalState, message, isFatal: false, defect: error };
}

function ofFailure(error: DatabaseError): ErrorReport {
  const { failure } = error;
  const { reason, constraint } = failure;
  const usual = usualText(failure);
  const detail = withoutName(failure);
  const sqlstate = stateOf(failure);
  const isDefect = sqlstate === internalState;
  const isRetryable = sqlstate === '40001';
  return {
    sqlstate,
    message: usual ?? detail,
    detail: usual && detail,
    reason,
    constraint,
    isFatal: false,
    ...(isRetryable && { hint: retryHint }),
    ...(isDefect && { defect: error }),
  };
}

/** Returns the detail without the name of the statement, which the compiler has made up. */
function withoutName({ detail, location }: Failure): string {
  const prefix = `statement "${location?.binding}": `;
  return detail.startsWith(prefix) ? detail.slice(prefix.length) : detail;
}

/** Returns the message of PostgreSQL, `undefined` if that of svc is shown. Clients recognize some errors by these words. */
function usualText({ reason, constraint, execution }: Failure): string | undefined {
  if (reason === 'deadline_exceeded') return 'canceling statement due to statement timeout';
  return constraint && violationText(constraint, execution?.table);
}

/** Returns the words of PostgreSQL. `changed` is the table whose rows were changed. */
function violationText(
  { kind, table, name = `${table}_pkey`, column }: ViolatedConstraint,
  changed: string | undefined,
): string | undefined {
  switch (kind) {
    case 'unique':
      return `duplicate key value violates unique constraint "${name}"`;
    case 'not_null':
      return `null value in column "${column}" of relation "${table}" violates not-null constraint`;
    case 'foreign_key':
      return changed === undefined || changed === table
        ? `insert or update on table "${table}" violates foreign key constraint "${name}"`
        : `update or delete on table "${changed}" violates foreign key constraint "${name}" on table "${table}"`;
    case 'format':
      return undefined;
  }
}

function stateOf({ reason, constraint, stage }: Failure): string {
  if (constraint !== undefined) return constraintStates[constraint.kind];
  if (reasons[reason].code === 'conflict') return '40001';
  if (reason === 'invalid' && stage === 'schema') return internalState;
  return sqlstates[reason];
}

type Severity = 'ERROR' | 'FATAL' | 'WARNING' | 'NOTICE';

/** Returns the fields of the message. `incident` identifies a defect in the log. */
export function fieldsOf(
  report: ErrorReport,
  severity: Severity,
  incident: string | undefined,
): NoticeFields {
  const { sqlstate, message, detail, hint, position, reason, constraint } = report;
  return {
    S: severity,
    V: severity,
    C: sqlstate,
    M: incident === undefined ? message : `${message} (incident ${incident})`,
    D: detail,
    H: hint,
    P: position === undefined ? undefined : String(position),
    ...(constraint && ofConstraint(constraint)),
    R: reason,
  };
}

function ofConstraint(constraint: ViolatedConstraint): NoticeFields {
  const { table, column } = constraint;
  return { s: 'public', t: table, c: column, n: nameOf(constraint) };
}

/** A primary key has the name that PostgreSQL gives it. */
function nameOf({ kind, table, name }: ViolatedConstraint): string | undefined {
  return name ?? (kind === 'unique' ? `${table}_pkey` : undefined);
}
