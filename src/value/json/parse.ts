/** JSON request bodies without loss: big integers stay exact, text is well-formed, nesting is bounded. */

import { finishSteps, type Pace, type Steps, unpaced } from '#base';
import { isWellFormedDeep } from '../unicode.ts';
import { isDeeperThan } from './depth.ts';
import { parseMarked } from './exact-parse.ts';
import { malformedAt, malformedSteps, placeIn } from './malformed-at.ts';
import { parseInPieces } from './parse-in-pieces.ts';
import type { ParsedJson } from './parsed-json.ts';
import { PieceReader } from './piece-reader.ts';
import { parsePlainRows } from './plain-rows.ts';
import { loneEscapeAt } from './surrogates.ts';

/** Shorter texts are parsed in one go: whatever stands in them, that takes less than a slice. */
export const shortJsonLength = 64 * 1024;

/** Of malformed texts up to this length the place is told: those that somebody may have written by hand. */
const placedLength = 256 * 1024;
/** Where the reader of parts was, by characters. */
const partOf = /,? (?:at|behind) character \d+$/;

/**
 * Integers beyond 2^53 become bigint (up to a hundred digits), and integral numbers with a fraction or exponent under a member named `value` ExactNumber; all
 * else is as JSON.parse gives it (of a repeated member the last one counts, a number beyond binary64 is an infinity).
 * Gives way within a long text as `pace` demands; `rowsDepth` says where rows of a long text stay `TextRows` (`PieceOptions`).
 */
export function* parseJsonSteps(
  text: string,
  depthMax: number,
  pace: Pace,
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

/** Of the parts of one long text. Only a part that is malformed goes through JSON.parse, which tells what is wrong. */
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

/** How arrays of arrays of strings begin. In longer texts they are parsed by themselves, as `parsePlainRows` does it. */
const rowsMark = '[["';
const rowsLength = 768;
const rowsPieceLength = 512;

/** As `parseJsonSteps`, in one go: for short texts. */
export function parseShortJson(text: string, depthMax: number): ParsedJson {
  if (text.length > rowsLength && text.includes(rowsMark)) {
    const options = { depthMax, parse: parsePiece, pieceLength: rowsPieceLength };
    const parsed = finishSteps(parseInPieces(text, options, unpaced));
    // What is malformed is told with its line below.
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

/** The nesting of the text is known to be bounded. */
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

/** A text that was UTF-8 has no lone surrogates but escaped ones. Others may be one half of a pair whose other half is an escape. */
function hasLoneSurrogate(text: string, value: unknown): boolean {
  return text.isWellFormed()
    ? escapedSurrogate.test(text) && loneEscapeAt(text) >= 0
    : !isWellFormedDeep(value);
}

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
const escapedSurrogate = /\\u[dD][89a-fA-F]/;
