/** The pattern match of SQL: `_` is any character, `%` any number of them. The time is proportional to the text, and to the pattern in words of 32. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import { type MatchPart, textMatcherOf } from '../text-match/match.ts';
import { lowerText } from './case-mapping.ts';
import { findWithGaps, type Gapped, gappedOf, isAt } from './gapped-text.ts';
import { lastResultOf } from './last-result.ts';
import { overload, scalarFunction } from './overload.ts';

const raising = { canFail: true } as const;
/** The largest pattern, so that the time of a match is bounded. */
const charactersMax = 10_000;
const backslash = '\\';

export const patternFunctions = {
  like: scalarFunction(
    overload(['text', 'text'], 'bool', (text, pattern) => patternOf(pattern)(text)),
    overload(
      ['text', 'text', 'text'],
      'bool',
      (text, pattern, escaping) => escapedPatternOf(pattern, escaping)(text),
      raising,
    ),
  ),
  ilike: scalarFunction(
    overload(['text', 'text'], 'bool', (text, pattern) =>
      foldedPatternOf(pattern)(lowerText(text)),
    ),
    overload(
      ['text', 'text', 'text'],
      'bool',
      (text, pattern, escaping) => foldedEscapedPatternOf(pattern, escaping)(lowerText(text)),
      raising,
    ),
  ),
};

type Matcher = (text: string) => boolean;

const patternOf = lastResultOf((pattern) => matcherOf(parsed(pattern, backslash)));
const foldedPatternOf = lastResultOf((pattern) => matcherOf(folded(parsed(pattern, backslash))));
const escapedPatternOf = lastResultOf((pattern, escaping) => matcherOf(strict(pattern, escaping)));
const foldedEscapedPatternOf = lastResultOf((pattern, escaping) =>
  matcherOf(folded(strict(pattern, escaping))),
);

/** The wildcards are null (any character) and undefined (any number of characters). */
type Token = string | null | undefined;

function tokenOf(character: string): Token {
  if (character === '%') return undefined;
  return character === '_' ? null : character;
}

/** Returns undefined if the pattern ends within an escape. */
function parsed(pattern: string, escaping: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let isEscaped = false;
  for (const character of pattern) {
    const isLiteral = isEscaped;
    isEscaped = !isEscaped && character === escaping;
    if (!isEscaped) tokens.push(isLiteral ? character : tokenOf(character));
  }
  if (tokens.length > charactersMax) {
    throw new EvaluationFailure(
      'memory_limit',
      `a pattern has at most ${charactersMax} characters`,
    );
  }
  return isEscaped ? undefined : tokens;
}

function strict(pattern: string, escaping: string): readonly Token[] {
  if ([...escaping].length > 1) {
    throw new EvaluationFailure(
      'invalid_argument',
      'the escape of a pattern must be one character or empty',
    );
  }
  const tokens = parsed(pattern, escaping);
  if (tokens !== undefined) return tokens;
  throw new EvaluationFailure('invalid_argument', 'a pattern must not end with its escape');
}

function folded(tokens: readonly Token[] | undefined): readonly Token[] | undefined {
  return tokens?.map((token) => (typeof token === 'string' ? lowerText(token) : token));
}

/** Without tokens, nothing matches. */
function matcherOf(tokens: readonly Token[] | undefined): Matcher {
  if (tokens === undefined) return () => false;
  return tokens.includes(null) ? gappedMatcherOf(tokens) : textMatcherOf(partsOf(tokens), 'exact');
}

function partsOf(tokens: readonly Token[]): MatchPart[] {
  return tokens.map((token) =>
    typeof token === 'string' ? { kind: 'literal', value: token } : { kind: 'any_many' },
  );
}

/** Words of bits times characters, so that the time of a match is bounded. */
const workMax = 2 ** 27;

function checkWork(text: string, words: number): void {
  if (text.length * words <= workMax) return;
  const detail = `the pattern is too large for a text of ${text.length} characters; shorten the pattern`;
  throw new EvaluationFailure('memory_limit', detail);
}

function gappedMatcherOf(tokens: readonly Token[]): Matcher {
  const pieces: Gapped[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    if (at < tokens.length && tokens[at] !== undefined) continue;
    pieces.push(gappedOf(tokens.slice(from, at) as (string | null)[]));
    from = at + 1;
  }
  const [first, last] = [pieces[0], pieces.at(-1)] as [Gapped, Gapped];
  const middle = pieces.slice(1, -1).filter(({ length }) => length > 0);
  const words = middle.reduce((sum, { gaps }) => sum + gaps.length, 0);
  return (text) => {
    checkWork(text, words);
    const points = Uint32Array.from(text, (character) => character.codePointAt(0) as number);
    if (pieces.length === 1) return points.length === first.length && isAt(first, points, 0);
    const end = points.length - last.length;
    if (end < first.length || !isAt(first, points, 0) || !isAt(last, points, end)) return false;
    let at = first.length;
    for (const piece of middle) {
      at = findWithGaps(piece, points, at, end);
      if (at < 0) return false;
    }
    return true;
  };
}
