/** The error that contains findings. They are sorted by pointer and limited in number; the first one is the error itself. */

import { type DatabaseError, type Finding, fail } from '#failure';
import type { GrammarError } from './report.ts';
import { quote } from './wording.ts';

interface ViolationFrame {
  /** 400 if the body could not be decoded, 422 if a part of it is invalid. */
  readonly status: 400 | 422;
  /** The prefix of each pointer: the position of the checked value in the body. */
  readonly prefix?: string;
  /** The name of the invalid statement, if the findings are within one. */
  readonly statement?: string;
}

const errorsMax = 16;
/** Maximum total length of all pointers. Pointers contain member names of the sender, and this limit keeps the response no larger than the request. */
const pointersLengthMax = 64 << 10;
const shownPointerMax = 500;

export function violation(findings: readonly GrammarError[], frame: ViolationFrame): DatabaseError {
  const sorted = findings.toSorted((a, b) => compareText(a.pointer, b.pointer));
  const [first, ...others] = listed(sorted).map((finding) => describe(finding, frame));
  const { detail, location } = first as Finding;
  return fail('schema_violation', detail, {
    status: frame.status,
    ...(location === undefined ? {} : { location }),
    ...(others.length > 0 ? { errors: [first as Finding, ...others] } : {}),
  });
}

function listed(sorted: readonly GrammarError[]): readonly GrammarError[] {
  let length = 0;
  const fitting = sorted.slice(0, errorsMax).filter(({ pointer }) => {
    length += pointer.length;
    return length <= pointersLengthMax;
  });
  return fitting.length === 0 ? sorted.slice(0, 1) : fitting;
}

function describe(finding: GrammarError, { prefix = '', statement }: ViolationFrame): Finding {
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
