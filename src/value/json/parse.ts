/** Parses JSON request bodies without loss: large integers stay exact, text is well-formed, and nesting is limited. */

import { neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import { isWellFormedDeep } from '../unicode.ts';
import { isDeeperThan } from './depth.ts';
import { parseMarked } from './exact-parse.ts';
import { malformedAt, malformedSteps, placeIn } from './malformed-at.ts';
import { parseInPieces } from './parse-in-pieces.ts';
import type { ParsedJson } from './parsed-json.ts';
import { PieceReader } from './piece-reader.ts';
import { parsePlainRows } from './plain-rows.ts';
import { loneEscapeAt } from './surrogates.ts';

/** Shorter texts are parsed without a yield, since this always takes less than one time slice. */
export const shortJsonLength = 64 * 1024;

/** Maximum length of malformed texts whose error position is reported. Texts up to this length may have been written by hand. */
const placedLength = 256 * 1024;
/** Matches the position that the reader of pieces appends to its errors. */
const partOf = /,? (?:at|after) character \d+$/;

/**
 * Parses a JSON text. Integers beyond 2^53 become bigints (up to a hundred digits), and integral numbers with a fraction or exponent in a
 * member named `value` become ExactNumbers. All other values are those of JSON.parse: the last of repeated members counts, and a number
 * beyond binary64 is an infinity. Yields within a long text as `pace` requires. `rowsDepth` determines which rows of a long text become
 * `TextRows` (see `PieceOptions`).
 */
export function* parseJsonSteps(
  text: string,
  depthMax: number,
  pace: YieldPolicy,
  rowsDepth?: number,
): Steps<ParsedJson> {
  if (text.length > shortJsonLength) {
    const options = { depthMax, parse: partParser(), ...(rowsDepth && { rowsDepth }) };
    const parsed = yield* parseInPieces(text, options, pace);
    if (parsed.kind === 'parsed' || text.length > placedLength) return parsed;
    const at = (yield* malformedSteps(text, pace)) ?? loneEscapeAt(text);
    return at < 0
      ? parsed
      : malformed(`${parsed.detail.replace(partOf, '')}, at ${placeIn(text, at)}`);
  }
  return parseShortJson(text, depthMax);
}

/** Returns a parser for the pieces of one long text. Only a malformed piece goes through JSON.parse, which describes the error. */
function partParser(): (part: string) => ParsedJson {
  const reader = new PieceReader();
  return (part) => {
    if (!part.isWellFormed()) return parsePiece(part);
    const rows = parsePlainRows(part);
    return rows === undefined
      ? (reader.read(part) ?? parsePiece(part))
      : { kind: 'parsed', value: rows };
  };
}

/** The start of an array of arrays of strings. In longer texts such arrays are parsed separately, by `parsePlainRows`. */
const rowsMark = '[["';
const rowsLength = 768;
const rowsPieceLength = 512;

/** Parses a short text like `parseJsonSteps`, but without a yield. */
export function parseShortJson(text: string, depthMax: number): ParsedJson {
  if (text.length > rowsLength && text.includes(rowsMark)) {
    const options = { depthMax, parse: parsePiece, pieceLength: rowsPieceLength };
    const parsed = runWithoutWaiting(parseInPieces(text, options, neverYield));
    // Errors are reported with their line below.
    if (parsed.kind === 'parsed') return parsed;
  }
  if (isDeeperThan(text, depthMax)) {
    return malformed(`the document nests deeper than ${depthMax} levels`);
  }
  const parsed = parsePiece(text);
  if (parsed.kind === 'parsed') return parsed;
  const at = malformedAt(text) ?? loneEscapeAt(text);
  return at < 0 ? parsed : malformed(`${parsed.detail}, at ${placeIn(text, at)}`);
}

/** Parses a text whose nesting is known to be limited. */
function parsePiece(text: string): ParsedJson {
  const rows = text.isWellFormed() ? parsePlainRows(text) : undefined;
  if (rows !== undefined) return { kind: 'parsed', value: rows };
  try {
    const value: unknown = JSON.parse(text);
    if (hasLoneSurrogate(text, value)) return malformed('a string is not well-formed Unicode');
    return { kind: 'parsed', value: hasPeculiarNumber(text) ? parseMarked(text) : value };
  } catch (error) {
    return malformed(error instanceof Error ? error.message : 'not JSON');
  }
}

/**
 * Returns whether a parsed text contains a lone surrogate. A text that was UTF-8 can only contain escaped ones. In any other text, a
 * surrogate may form a pair with an escaped one.
 */
function hasLoneSurrogate(text: string, value: unknown): boolean {
  return text.isWellFormed()
    ? escapedSurrogate.test(text) && loneEscapeAt(text) >= 0
    : !isWellFormedDeep(value);
}

function malformed(detail: string): ParsedJson {
  return { kind: 'malformed', detail };
}

/**
 * Returns whether a number may be too large or written with a fraction or exponent. A match inside a string costs time but is not an error.
 */
function hasPeculiarNumber(text: string): boolean {
  return peculiarDigits.test(text) && (numberInside.test(text) || bareNumber.test(text));
}

// The first pattern is ten times faster than the second, and most bodies do not match it.
const peculiarDigits = /[0-9](?:[.eE]|[0-9]{15})/;
const numberInside = /[\s:,[]-?[0-9]+(?:[.eE]|(?<=[0-9]{16}))/;
const bareNumber = /^[-0-9]/;
const escapedSurrogate = /\\u[dD][89a-fA-F]/;
