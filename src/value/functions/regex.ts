/** Regular expressions by simulation of an automaton: the time is proportional to the text and to the number of states. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import { lastResultOf } from './last-result.ts';
import { overload, scalarFunction } from './overload.ts';
import type { CharacterTest } from './regex-classes.ts';
import { parseRegex, type RegexNode } from './regex-syntax.ts';

const raising = { canFail: true } as const;

export const regexFunctions = {
  regex: scalarFunction(
    overload(['text', 'text'], 'bool', (text, pattern) => matcherOf(pattern, '')(text), raising),
    overload(
      ['text', 'text', 'text'],
      'bool',
      (text, pattern, flags) => matcherOf(pattern, flags)(text),
      raising,
    ),
  ),
};

type Matcher = (text: string) => boolean;

const matcherOf = lastResultOf((pattern, flags): Matcher => {
  if (flags !== '' && flags !== 'i') {
    throw new EvaluationFailure(
      'invalid_argument',
      'the flags of a regular expression must be "i" or empty',
    );
  }
  const states: State[] = [];
  const start = compiled(parseRegex(pattern, flags === 'i'), accepting, states);
  return (text) => matches(text, start, states.length + 1);
});

/** A state leads to the next ones without a character, or with one that passes its test. */
interface State {
  readonly id: number;
  readonly test: CharacterTest | undefined;
  /** Where the state can be passed; undefined for everywhere. */
  readonly place: 'start' | 'end' | undefined;
  readonly next: State[];
}

const accepting: State = { id: 0, test: undefined, place: undefined, next: [] };
const statesMax = 10_000;
/** States times characters, so that the time of a match is bounded. */
const stepsMax = 2 ** 26;

function stateOf(states: State[], next: State[], more: Partial<State> = {}): State {
  const id = states.length + 1;
  if (id > statesMax) {
    throw new EvaluationFailure(
      'memory_limit',
      `a regular expression has at most ${statesMax} states`,
    );
  }
  const state: State = { id, test: undefined, place: undefined, next, ...more };
  states.push(state);
  return state;
}

/** Returns the first state of a part that continues with `then`. */
function compiled(node: RegexNode, then: State, states: State[]): State {
  switch (node.kind) {
    case 'character':
      return stateOf(states, [then], { test: node.test });
    case 'start':
    case 'end':
      return stateOf(states, [then], { place: node.kind });
    case 'sequence':
      return node.parts.reduceRight((after, part) => compiled(part, after, states), then);
    case 'choice':
      return stateOf(
        states,
        node.parts.map((part) => compiled(part, then, states)),
      );
    case 'repeat':
      return repeated(node, then, states);
  }
}

function repeated(
  { part, least, most }: Extract<RegexNode, { kind: 'repeat' }>,
  then: State,
  states: State[],
): State {
  let first = then;
  if (most === Infinity) {
    const loop = stateOf(states, [then]);
    loop.next.push(compiled(part, loop, states));
    first = loop;
  }
  const optional = most === Infinity ? 0 : most - least;
  for (let i = 0; i < optional; i++) first = stateOf(states, [compiled(part, first, states), then]);
  for (let i = 0; i < least; i++) first = compiled(part, first, states);
  return first;
}

function matches(text: string, start: State, stateCount: number): boolean {
  if (text.length * stateCount > stepsMax) {
    const detail = `a regular expression of ${stateCount} states is too large for a text of ${text.length} characters`;
    throw new EvaluationFailure('memory_limit', detail);
  }
  const reached = new Uint32Array(stateCount);
  let [current, following]: [State[], State[]] = [[], []];
  let step = 1;
  if (reach(start, text === '', current)) return true;
  let at = 0;
  for (const character of text) {
    at += character.length;
    step++;
    for (const state of current) {
      if (state.test?.(character) !== true) continue;
      for (const next of state.next) if (reach(next, at === text.length, following)) return true;
    }
    if (reach(start, at === text.length, following)) return true;
    [current, following] = [following, current];
    following.length = 0;
  }
  return false;

  /** Adds the states with tests that `from` leads to. Returns whether the accepting state is among those reached. */
  function reach(from: State, isAtEnd: boolean, found: State[]): boolean {
    const open = [from];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (state === accepting) return true;
      if (reached[state.id] === step) continue;
      reached[state.id] = step;
      if (state.place === 'start' && step > 1) continue;
      if (state.place === 'end' && !isAtEnd) continue;
      if (state.test !== undefined) found.push(state);
      else open.push(...state.next);
    }
    return false;
  }
}
