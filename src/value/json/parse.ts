/** JSON request bodies without loss: big integers stay exact, text is well-formed, nesting is bounded. */

import { isWellFormedDeep } from '../unicode.ts';
import { isDeeperThan } from './depth.ts';
import { ExactNumber } from './exact-number.ts';

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly detail: string };

/**
 * Integers beyond 2^53 become bigint (up to a hundred digits), and integral numbers with a fraction or exponent under a member named `value` ExactNumber; all
 * else is as JSON.parse gives it (of a repeated member the last one counts, a number beyond binary64 is an infinity).
 */
export function parseJson(text: string, depthMax: number): ParsedJson {
  if (isDeeperThan(text, depthMax)) {
    return malformed(`the document nests deeper than ${depthMax} levels`);
  }
  let value: unknown;
  try {
    value = hasPeculiarNumber(text) ? parseExactly(text) : JSON.parse(text);
  } catch (error) {
    return malformed(error instanceof Error ? error.message : 'not JSON');
  }
  if ((escapedSurrogate.test(text) || !text.isWellFormed()) && !isWellFormedDeep(value)) {
    return malformed('a string is not well-formed Unicode');
  }
  return { kind: 'parsed', value };
}

/** Longer integers are far outside int64; making a bigint of millions of digits takes seconds. */
const digitsMax = 100;

/** The reviver of JSON.parse as engines have it; TypeScript does not know its third parameter yet. */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

/** JSON.parse with big integers and exact numbers; throws a SyntaxError. Ten times slower than without a reviver. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, reviveExactly as (name: string, value: unknown) => unknown);
}

const reviveExactly: Reviver = (name, value, { source }) => {
  if (typeof value !== 'number' || source === undefined) return value;
  if (integer.test(source)) {
    return Number.isSafeInteger(value) || source.length > digitsMax ? value : BigInt(source);
  }
  return name === 'value' && Number.isInteger(value) ? new ExactNumber(source) : value;
};

function malformed(detail: string): ParsedJson {
  return { kind: 'malformed', detail };
}

/** Whether a number may be too big or written with fraction or exponent. A hit inside a string costs time, not correctness. */
function hasPeculiarNumber(text: string): boolean {
  return peculiarDigits.test(text) && (numberInside.test(text) || bareNumber.test(text));
}

// The first is ten times faster than the second, and most bodies hold no such digits at all.
const peculiarDigits = /[0-9](?:[.eE]|[0-9]{15})/;
const numberInside = /[\s:,[]-?[0-9]+(?:[.eE]|(?<=[0-9]{16}))/;
const bareNumber = /^[-0-9]/;
const integer = /^-?[0-9]+$/;
const escapedSurrogate = /\\u[dD][89a-fA-F]/;
