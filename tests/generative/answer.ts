/** What one way answered to a program, and whether it may answer that, given what the oracle says. */

import type { Outcome } from '../oracle/index.ts';

export type Answer =
  | {
      readonly kind: 'done';
      /** JSON text. */
      readonly result: string;
      /** The texts of the rows of a result that is a list. */
      readonly rows: readonly string[] | undefined;
      readonly affected: readonly number[];
      /** Kinds of operators that the plan consists of. */
      readonly operators: ReadonlySet<string>;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string }
  /** It broke: never right. */
  | { readonly kind: 'crashed'; readonly error: string };

/** How the answer differs from what the oracle expects; undefined when it does not, or nothing definite is expected. */
export function differenceOf(expected: Outcome, answer: Answer): string | undefined {
  if (answer.kind === 'crashed') return `crashed: ${answer.error}`;
  if (expected.kind === 'open') return undefined;
  if (expected.kind === 'refused') {
    const isAllowed =
      answer.kind === 'refused' &&
      expected.errors.some(({ code, reason }) => code === answer.code && reason === answer.reason);
    return isAllowed ? undefined : `expected ${showRefusals(expected.errors)}`;
  }
  if (expected.isAmbiguous) return undefined;
  if (answer.kind === 'refused') return 'expected a result';
  if (answer.affected.join() !== expected.affected.join()) {
    return `affected ${answer.affected.join()}, expected ${expected.affected.join()}`;
  }
  return isSameResult(expected, answer) ? undefined : 'expected another result';
}

type Done<T> = Extract<T, { readonly kind: 'done' }>;

function isSameResult(expected: Done<Outcome>, answer: Done<Answer>): boolean {
  if (expected.anyOf !== undefined) return expected.anyOf.includes(answer.result);
  if (expected.isOrdered || expected.rows === undefined || answer.rows === undefined)
    return expected.result === answer.result;
  return isSameBag(expected.rows, answer.rows);
}

export function isSameBag(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const sorted = [...b].sort();
  return [...a].sort().every((text, i) => text === sorted[i]);
}

/** One line for people. */
export function showAnswer(answer: Answer | Outcome): string {
  switch (answer.kind) {
    case 'done':
      return `affected [${answer.affected.join()}] result ${answer.result}`;
    case 'refused':
      return 'errors' in answer ? showRefusals(answer.errors) : showRefusals([answer]);
    case 'open':
      return `open: ${showRefusals(answer.errors)}`;
    case 'crashed':
      return `crashed: ${answer.error}`;
  }
}

function showRefusals(errors: readonly { readonly code: string; readonly reason: string }[]) {
  return [...new Set(errors.map(({ code, reason }) => `${code}/${reason}`))].join(' or ');
}
