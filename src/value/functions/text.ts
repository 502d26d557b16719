/** Functions of text. A character is a code point. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import type { Int64 } from '../arithmetic/int64.ts';
import { ByteString } from '../datum.ts';
import { formatIdentifier, identifierLength } from '../identifier/format.ts';
import { initialCapitals, lowerText, upperText } from './case-mapping.ts';
import { characterCount } from './characters.ts';
import { decoded, encoded } from './encoding.ts';
import { float64Text } from './float64-text.ts';
import { concatenated, padded, repeated, replaced } from './growth.ts';
import { type Overload, overload, scalarFunction } from './overload.ts';
import {
  left,
  position,
  reversed,
  right,
  splitPart,
  substring,
  substringFrom,
  substringOfBytes,
  trimmed,
} from './parts.ts';

const raising = { canFail: true } as const;
/** The limit on the length of the text can be exceeded. */
const growing = { canFail: true, isGrowing: true } as const;

export const textFunctions = {
  lower: scalarFunction(overload(['text'], 'text', lowerText)),
  upper: scalarFunction(overload(['text'], 'text', upperText)),
  initcap: scalarFunction(overload(['text'], 'text', initialCapitals)),
  length: scalarFunction(
    overload(['text'], 'int64', characterCount),
    overload(['bytes'], 'int64', ({ bytes }) => bytes.length),
  ),
  octet_length: scalarFunction(
    overload(['text'], 'int64', (text) => Buffer.byteLength(text)),
    overload(['bytes'], 'int64', ({ bytes }) => bytes.length),
  ),
  substring: scalarFunction(
    overload(['text', 'int64'], 'text', substringFrom),
    overload(['text', 'int64', 'int64'], 'text', substring, raising),
    overload(
      ['bytes', 'int64', 'int64'],
      'bytes',
      ({ bytes }, from, count) => new ByteString(substringOfBytes(bytes, from, count)),
      raising,
    ),
  ),
  position: scalarFunction(overload(['text', 'text'], 'int64', position)),
  starts_with: scalarFunction(
    overload(['text', 'text'], 'bool', (text, start) => text.startsWith(start)),
  ),
  replace: scalarFunction(overload(['text', 'text', 'text'], 'text', replaced, growing)),
  trim: scalarFunction(...trims('both')),
  ltrim: scalarFunction(...trims('left')),
  rtrim: scalarFunction(...trims('right')),
  left: scalarFunction(overload(['text', 'int64'], 'text', left)),
  right: scalarFunction(overload(['text', 'int64'], 'text', right)),
  lpad: scalarFunction(...pads('left')),
  rpad: scalarFunction(...pads('right')),
  repeat: scalarFunction(overload(['text', 'int64'], 'text', repeated, growing)),
  reverse: scalarFunction(overload(['text'], 'text', reversed)),
  split_part: scalarFunction(overload(['text', 'text', 'int64'], 'text', splitPart, raising)),
  concat: scalarFunction(
    overload(['text'], 'text', concatenated, { ...growing, isVariadic: true }),
  ),
  md5: scalarFunction(
    overload(['text'], 'text', md5),
    overload(['bytes'], 'text', ({ bytes }) => md5(bytes)),
  ),
  encode: scalarFunction(overload(['bytes', 'text'], 'text', encoded, raising)),
  decode: scalarFunction(overload(['text', 'text'], 'bytes', decoded, raising)),
  ascii: scalarFunction(overload(['text'], 'int64', (text) => text.codePointAt(0) ?? 0)),
  chr: scalarFunction(overload(['int64'], 'text', characterOf, raising)),
  to_text: scalarFunction(
    overload(['text'], 'text', (value) => value),
    overload(['int64'], 'text', String),
    overload(['float64'], 'text', float64Text),
    overload(['bool'], 'text', String),
    overload(['bytes'], 'text', bytesText),
  ),
};

function trims(ends: 'left' | 'right' | 'both'): Overload[] {
  return [
    overload(['text'], 'text', (text) => trimmed(text, ' ', ends)),
    overload(['text', 'text'], 'text', (text, set) => trimmed(text, set, ends)),
  ];
}

function pads(end: 'left' | 'right'): Overload[] {
  return [
    overload(['text', 'int64'], 'text', (text, count) => padded(text, count, ' ', end), growing),
    overload(
      ['text', 'int64', 'text'],
      'text',
      (text, count, fill) => padded(text, count, fill, end),
      growing,
    ),
  ];
}

function md5(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('md5').update(content).digest('hex');
}

function characterOf(code: Int64): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  if (isCharacter) return String.fromCodePoint(Number(code));
  throw new EvaluationFailure('invalid_argument', `chr: no character has the code ${code}`);
}

/** Returns the text of an identifier, and of other bytes their hexadecimal digits. */
function bytesText({ bytes, format }: ByteString): string {
  return format !== undefined && bytes.length === identifierLength[format]
    ? formatIdentifier(format, bytes)
    : `\\x${bytes.toHex()}`;
}
