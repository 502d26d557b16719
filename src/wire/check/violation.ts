/** Findings as the failure that carries them: sorted by pointer, a bounded number, the first one in front. */

import { type DatabaseError, type Finding, fail } from '#failure';
import type { SchemaFinding } from './report.ts';

export interface ViolationFrame {
  /** 400 where the body could not be decoded, 422 where a part of it is wrong. */
  readonly status: 400 | 422;
  /** Stands before each pointer: where the checked value is within the body. */
  readonly prefix?: string;
  /** The statement that fails, if there is one. */
  readonly statement?: string;
}

const errorsMax = 16;

export function violation(
  findings: readonly SchemaFinding[],
  { status, prefix = '', statement }: ViolationFrame,
): DatabaseError {
  const sorted = findings.toSorted((a, b) => compareText(a.pointer, b.pointer));
  const errors = sorted.slice(0, errorsMax).map(({ pointer, detail }): Finding => {
    const place = prefix + pointer;
    const where = place === '' ? '' : `${place}: `;
    const who = statement === undefined ? '' : `statement ${JSON.stringify(statement)}: `;
    return {
      reason: 'schema_violation',
      detail: who + where + detail,
      location: { pointer: place },
    };
  });
  const first = errors[0] as Finding;
  return fail('schema_violation', first.detail, {
    status,
    ...(first.location === undefined ? {} : { location: first.location }),
    ...(errors.length > 1 ? { errors } : {}),
  });
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
