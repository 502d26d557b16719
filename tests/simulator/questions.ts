/** Questions about a state: put to the store, and to the model. */

import { equalBytes } from '#base';
import type { Direction, EntryCursor, KeyRange, ReadView } from '#storage';
import type { Dice } from './dice.ts';
import type { State, Writes } from './history.ts';
import { anyBound, corpusDigest, fingerprint, isCorpusKey, type Keys } from './keys.ts';
import { gone } from './plots.ts';
import { anyNumbers, isWithin, type NumberRange, zoneOf } from './rows.ts';
import { Wrong } from './wrong.ts';

export type Question =
  | { readonly kind: 'point'; readonly key: number }
  | {
      readonly kind: 'range';
      readonly from: Uint8Array;
      readonly to: Uint8Array | undefined;
      readonly direction: Direction;
      readonly limit: number;
      /** Only rows whose number is one of these: blocks without any are left out. */
      readonly numbers?: NumberRange;
    }
  | { readonly kind: 'count'; readonly from: Uint8Array; readonly to: Uint8Array | undefined };

export function anyQuestion(keys: Keys, dice: Dice): Question {
  const choice = dice.unit();
  if (choice < 0.45) return { kind: 'point', key: anyKey(keys, dice) };
  const from = anyBound(keys, dice);
  const to = dice.chance(0.2) ? undefined : anyBound(keys, dice);
  if (choice < 0.6) return { kind: 'count', from, to };
  const direction = dice.chance(0.5) ? 'forward' : 'backward';
  const limit = dice.chance(0.5) ? dice.between(1, 5) : Number.POSITIVE_INFINITY;
  const range = { kind: 'range', from, to, direction, limit } as const;
  return keys.holdsRows && dice.chance(0.5) ? { ...range, numbers: anyNumbers(dice) } : range;
}

/** Skewed, so that some keys have many versions. */
export function anyKey(keys: Keys, dice: Dice): number {
  return Math.floor(dice.unit() ** 2 * keys.count);
}

export function everything(direction: Direction): Question {
  return {
    kind: 'range',
    from: new Uint8Array(),
    to: undefined,
    direction,
    limit: Number.POSITIVE_INFINITY,
  };
}

/** What the model answers: `own` over `state`. */
export function expected(keys: Keys, state: State, own: Writes, question: Question): string {
  const value = (key: number): string | undefined => (own.has(key) ? own.get(key) : state[key]);
  if (question.kind === 'point') return value(question.key) ?? 'absent';
  const from = keys.lowerBound(question.from);
  const to = question.to === undefined ? keys.count : keys.lowerBound(question.to);
  const found: number[] = [];
  for (let key = from; key < to; key++) {
    if (value(key) !== undefined && value(key) !== gone) found.push(key);
  }
  if (question.kind === 'count') return String(found.length);
  if (question.direction === 'backward') found.reverse();
  const { numbers } = question;
  return found
    .filter((key) => numbers === undefined || isWithin(numbers, value(key) as string))
    .slice(0, question.limit)
    .map((key) => shown(keys.at(key), value(key) as string))
    .join();
}

/** What the store answers, without what is gone in `state`: there may be anything. */
export async function ask(
  keys: Keys,
  view: ReadView,
  question: Question,
  state: State,
): Promise<string> {
  if (question.kind === 'point') {
    return state[question.key] === gone ? gone : askPoint(view, keys.at(question.key));
  }
  const mayCount = counted(keys, state);
  if (question.kind === 'count') return askCount(view, question, mayCount);
  const seen: string[] = [];
  const { numbers } = question;
  const cursor = view.scan(question, question.direction, numbers && [zoneOf(numbers)]);
  try {
    while (seen.length < question.limit) {
      const next = cursor.next();
      if (next instanceof Promise) await next;
      else if (!next) break;
      else if (mayCount(cursor)) {
        const value = cursor.value.subarray(cursor.valueFrom, cursor.valueTo);
        const print = fingerprint(value);
        if (numbers !== undefined && !isWithin(numbers, print)) continue;
        seen.push(shown(cursor.key.subarray(cursor.keyFrom, cursor.keyTo), print));
      }
    }
  } finally {
    cursor.close();
  }
  return seen.join();
}

/** Whether the entry at hand is one that the model knows about. */
function counted(keys: Keys, state: State): (cursor: EntryCursor) => boolean {
  if (!state.includes(gone)) return ({ key, keyFrom }) => !isCorpusKey(key, keyFrom);
  return ({ key, keyFrom, keyTo }) =>
    !isCorpusKey(key, keyFrom) && state[keys.lowerBound(key.subarray(keyFrom, keyTo))] !== gone;
}

async function askPoint(view: ReadView, key: Uint8Array): Promise<string> {
  for (;;) {
    const value = view.get(key);
    if (value instanceof Promise) await value;
    else return value === undefined ? 'absent' : fingerprint(value);
  }
}

async function askCount(
  view: ReadView,
  range: KeyRange,
  mayCount: (cursor: EntryCursor) => boolean,
): Promise<string> {
  const cursor = view.scan(range, 'forward');
  let count = 0;
  try {
    for (;;) {
      const next = cursor.next();
      if (next instanceof Promise) await next;
      else if (!next) return String(count);
      else if (mayCount(cursor)) count++;
    }
  } finally {
    cursor.close();
  }
}

/** The whole state, as the model keeps it. */
export async function readState(keys: Keys, view: ReadView): Promise<State> {
  const state = new Array<string | undefined>(keys.count + 1).fill(undefined);
  const corpus = new Map<string, string>();
  const cursor = view.scan({ from: new Uint8Array(), to: undefined }, 'forward');
  try {
    for (;;) {
      const next = cursor.next();
      if (next instanceof Promise) await next;
      else if (!next) {
        state[keys.corpus] = corpusDigest(corpus);
        return state;
      } else {
        const bytes = cursor.key.subarray(cursor.keyFrom, cursor.keyTo);
        const value = cursor.value.subarray(cursor.valueFrom, cursor.valueTo);
        if (isCorpusKey(bytes)) {
          corpus.set(bytes.toHex(), value.toHex());
          continue;
        }
        const key = keys.lowerBound(bytes);
        if (key === keys.count || !equalBytes(keys.at(key), bytes)) {
          throw new Wrong(`a key that nobody wrote: ${Buffer.from(bytes).toString('hex')}`);
        }
        state[key] = fingerprint(value);
      }
    }
  } finally {
    cursor.close();
  }
}

function shown(key: Uint8Array, value: string): string {
  return `${Buffer.from(key).toString('latin1')}=${value}`;
}

export function describe(question: Question): string {
  if (question.kind === 'point') return `point ${question.key}`;
  const { from, to } = question;
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const range = `${question.kind} [${hex(from)}, ${to === undefined ? '' : hex(to)})`;
  if (question.kind === 'count') return range;
  const { direction, limit, numbers } = question;
  const only = numbers === undefined ? '' : ` of numbers ${numbers.min} to ${numbers.max}`;
  return `${range} ${direction} limit ${limit}${only}`;
}
