/** Text patterns: sequences of literal text and wildcards, compiled to one test (docs/lir.md §6.8). */

import { type TextFinder, textFinderOf } from './find-text.ts';
import { foldText } from './fold.ts';

export type TextComparison = 'exact' | 'unicode_simple_fold';

/** A part of a pattern as a document contains it: literal text, or any number of arbitrary characters. */
export type MatchPart =
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'any_many' };

type TextMatcher = (text: string) => boolean;

/** Returns a test of whether the parts, in order, match the whole text. */
export function textMatcherOf(
  parts: readonly MatchPart[],
  comparison: TextComparison,
): TextMatcher {
  const pieces = piecesOf(parts);
  if (comparison === 'exact') return matcherOf(pieces);
  const matches = matcherOf(pieces.map(foldText));
  return (text) => matches(foldText(text));
}

/** Returns the literals around the wildcards: `[a, *, b]` gives `a` and `b`; `[*]` gives two empty texts. */
export function piecesOf(parts: readonly MatchPart[]): string[] {
  const pieces: string[] = [''];
  let wasWildcard = false;
  for (const part of parts) {
    if (part.kind === 'literal') pieces[pieces.length - 1] += part.value;
    else if (!wasWildcard) pieces.push('');
    wasWildcard = part.kind === 'any_many';
  }
  return pieces;
}

// Comparing code units is correct: well-formed texts match by code unit if and only if they match by code point or byte.
function matcherOf(pieces: readonly string[]): TextMatcher {
  const first = pieces[0] as string;
  if (pieces.length === 1) return (text) => text === first;
  const last = pieces[pieces.length - 1] as string;
  const middle = pieces.slice(1, -1);
  const shortest = first.length + last.length;
  if (middle.length === 0) {
    return (text) => text.length >= shortest && text.startsWith(first) && text.endsWith(last);
  }
  const finders = middle.map((piece) => ({ find: textFinderOf(piece), length: piece.length }));
  return (text) =>
    text.length >= shortest &&
    text.startsWith(first) &&
    text.endsWith(last) &&
    holdsInOrder(text, finders, first.length, text.length - last.length);
}

interface Piece {
  readonly find: TextFinder;
  readonly length: number;
}

/** Finds the pieces in order. The leftmost match of each piece leaves the most text for the following pieces. */
function holdsInOrder(text: string, pieces: readonly Piece[], from: number, to: number): boolean {
  let at = from;
  for (let i = 0; i < pieces.length; i++) {
    const { find, length } = pieces[i] as Piece;
    const found = find(text, at);
    if (found < 0) return false;
    at = found + length;
    if (at > to) return false;
  }
  return true;
}
