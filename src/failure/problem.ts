/** Converts a `Failure` to its public form, an RFC 9457 problem (docs/errors.md). */

import type { Failure } from './failure.ts';
import { reasons, titles } from './reasons.ts';

type Problem = Readonly<Record<string, unknown>> & {
  readonly status: number;
  readonly code: string;
  readonly reason: string;
};

const optional = [
  'location',
  'errors',
  'execution',
  'resource',
  'conflict',
  'incident',
  'plan',
] as const;

export function toProblem(failure: Failure): Problem {
  const row = reasons[failure.reason];
  const problem: Record<string, unknown> = {
    type: `urn:svc:problem:${row.code}`,
    title: titles[row.code],
    status: failure.status ?? row.status,
    code: row.code,
    reason: failure.reason,
    stage: failure.stage ?? row.stage,
    detail: failure.detail,
  };
  for (const member of optional) {
    const value = failure[member];
    if (value !== undefined && !isEmpty(value)) problem[member] = value;
  }
  return problem as Problem;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
