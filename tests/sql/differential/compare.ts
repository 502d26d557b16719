/** Compares the outcome of one statement on both sides. */

import type { Statement } from './generate/statement.ts';
import type { Outcome } from './outcome.ts';

/** The first difference in words, or `undefined`. */
export function differenceOf(
  statement: Statement,
  svc: Outcome,
  postgres: Outcome,
): string | undefined {
  if (svc.kind === 'failed' || postgres.kind === 'failed')
    return errorDifference(statement, svc, postgres);
  if (svc.tag !== postgres.tag) return `tags: svc ${svc.tag}, PostgreSQL ${postgres.tag}`;
  const names = difference('names of columns', svc.columns, postgres.columns, ({ name }) => name);
  if (names !== undefined) return names;
  const types = difference('types of columns', svc.columns, postgres.columns, ({ oid }) =>
    String(oid),
  );
  if (types !== undefined) return types;
  const [left, right] = [svc.rows.map(rowText), postgres.rows.map(rowText)];
  if (statement.isOrdered) return difference('rows in order', left, right, (row) => row);
  return difference('rows', left.toSorted(), right.toSorted(), (row) => row);
}

function errorDifference(
  statement: Statement,
  svc: Outcome,
  postgres: Outcome,
): string | undefined {
  const [left, right] = [stateOf(svc), stateOf(postgres)];
  if (left.slice(0, 2) === right.slice(0, 2)) return undefined;
  if (statement.deviations.has('wide_intermediates') && right === '22003') return undefined;
  const isBothAtRun = [left, right].every((state) => /^2[123]/.test(state));
  if (statement.deviations.has('error_order') && isBothAtRun) return undefined;
  if (statement.deviations.has('statement_end') && right === '23505') return undefined;
  if (statement.deviations.has('unread_columns') && /^22/.test(left) && right === '00000')
    return undefined;
  if (statement.deviations.has('conflicts_in_query') && left === '23505') return undefined;
  if (statement.deviations.has('key_twice') && left === '21000') return undefined;
  if (statement.deviations.has('several_partners') && left === '21000') return undefined;
  return `SQLSTATE: svc ${left} ${messageOf(svc)}; PostgreSQL ${right} ${messageOf(postgres)}`;
}

function stateOf(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.sqlstate : '00000';
}

function messageOf(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.message : `(${outcome.tag})`;
}

export function rowText(row: readonly (string | null)[]): string {
  return JSON.stringify(row);
}

function difference<T>(
  what: string,
  svc: readonly T[],
  postgres: readonly T[],
  textOf: (item: T) => string,
): string | undefined {
  const [left, right] = [svc.map(textOf), postgres.map(textOf)];
  if (left.length === right.length && left.every((text, i) => text === right[i])) return undefined;
  return `${what}:\n    svc        ${left.slice(0, 12).join(' ')}\n    PostgreSQL ${right.slice(0, 12).join(' ')}`;
}
