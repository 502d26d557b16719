/** Findings as the failure that carries them: sorted by pointer, a bounded number, the first one in front. */

import { type DatabaseError, type Finding, fail } from '#failure';
import type { SchemaFinding } from './report.ts';
import { quote } from './wording.ts';

interface ViolationFrame {
  /** 400 where the body could not be decoded, 422 where a part of it is wrong. */
  readonly status: 400 | 422;
  /** Stands before each pointer: where the checked value is within the body. */
  readonly prefix?: string;
  /** The statement that fails, if there is one. */
  readonly statement?: string;
}

const errorsMax = 16;
/** Names of senders stand in pointers. Few findings are listed where they are huge: an answer is not larger than its request. */
const pointersLengthMax = 64 << 10;
const shownPointerMax = 500;

export function violation(
  findings: readonly SchemaFinding[],
  frame: ViolationFrame,
): DatabaseError {
  const sorted = findings.toSorted((a, b) => compareText(a.pointer, b.pointer));
  const [first, ...others] = listed(sorted).map((finding) => describe(finding, frame));
  const { detail, location } = first as Finding;
  return fail('schema_violation', detail, {
    status: frame.status,
    ...(location === undefined ? {} : { location }),
    ...(others.length > 0 ? { errors: [first as Finding, ...others] } : {}),
  });
}

function listed(sorted: readonly SchemaFinding[]): readonly SchemaFinding[] {
  let length = 0;
  const fitting = sorted.slice(0, errorsMax).filter(({ pointer }) => {
    length += pointer.length;
    return length <= pointersLengthMax;
  });
  return fitting.length === 0 ? sorted.slice(0, 1) : fitting;
}

function describe(finding: SchemaFinding, { prefix = '', statement }: ViolationFrame): Finding {
  const pointer = prefix + finding.pointer;
  const place =
    pointer.length > shownPointerMax ? `${pointer.slice(0, shownPointerMax)}…` : pointer;
  const where = place === '' ? '' : `${place}: `;
  const who = statement === undefined ? '' : `statement ${quote(statement)}: `;
  const detail = who + where + finding.detail;
  return { reason: 'schema_violation', detail, location: { pointer } };
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
