/** Functions of text. A character is a code point. */

import type { ByteString } from '../datum.ts';
import { formatIdentifier, identifierLength } from '../identifier/format.ts';
import { lowerText, upperText } from './case-mapping.ts';
import { float64Text } from './float64-text.ts';
import { overload, scalarFunction } from './overload.ts';

export const textFunctions = {
  lower: scalarFunction(overload(['text'], 'text', lowerText)),
  upper: scalarFunction(overload(['text'], 'text', upperText)),
  length: scalarFunction(
    overload(['text'], 'int64', codePointCount),
    overload(['bytes'], 'int64', ({ bytes }) => bytes.length),
  ),
  to_text: scalarFunction(
    overload(['text'], 'text', (value) => value),
    overload(['int64'], 'text', String),
    overload(['float64'], 'text', float64Text),
    overload(['bool'], 'text', String),
    overload(['bytes'], 'text', bytesText),
  ),
};

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    // The second half of a pair counts no further character, since text is well-formed.
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** Returns the text of an identifier, and of other bytes their hexadecimal digits. */
function bytesText({ bytes, format }: ByteString): string {
  return format !== undefined && bytes.length === identifierLength[format]
    ? formatIdentifier(format, bytes)
    : `\\x${bytes.toHex()}`;
}
