/** Texts of bytes: `encode` and `decode` in the formats of PostgreSQL. */

import { EvaluationFailure } from '../arithmetic/failure.ts';
import { ByteString } from '../datum.ts';

interface Encoding {
  readonly encode: (bytes: Uint8Array) => string;
  /** Returns undefined if the text is malformed. */
  readonly decode: (text: string) => Uint8Array | undefined;
}

const encodings: Readonly<Record<string, Encoding>> = {
  hex: {
    encode: (bytes) => bytes.toHex(),
    decode: (text) => {
      const digits = text.replace(/[ \t\n\r]/g, '');
      return digits.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(digits)
        ? Uint8Array.fromHex(digits)
        : undefined;
    },
  },
  base64: {
    encode: (bytes) => bytes.toBase64().replace(/.{76}(?=.)/g, '$&\n'),
    decode: (text) => {
      const digits = text.replace(/[ \t\n\r]/g, '');
      const isWhole = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
      return isWhole ? Uint8Array.fromBase64(digits) : undefined;
    },
  },
  escape: { encode: escaped, decode: unescaped },
};

export function encoded({ bytes }: ByteString, format: string): string {
  return encodingOf(format).encode(bytes);
}

export function decoded(text: string, format: string): ByteString {
  const bytes = encodingOf(format).decode(text);
  if (bytes !== undefined) return new ByteString(bytes);
  throw new EvaluationFailure('invalid_text', `the text is not of the format ${format}`);
}

function encodingOf(format: string): Encoding {
  const name = format.toLowerCase();
  if (Object.hasOwn(encodings, name)) return encodings[name] as Encoding;
  const detail = `unknown format ${JSON.stringify(format)}; use hex, base64 or escape`;
  throw new EvaluationFailure('invalid_argument', detail);
}

function escaped(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    if (byte === 0x5c) text += '\\\\';
    else if (byte === 0 || byte >= 0x80) text += `\\${byte.toString(8).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return text;
}

const escapedByte = /\\(\\|[0-3][0-7]{2})/g;

function unescaped(text: string): Uint8Array | undefined {
  if (text.replace(escapedByte, '').includes('\\')) return undefined;
  const bytes: Uint8Array[] = [];
  let from = 0;
  for (const match of text.matchAll(escapedByte)) {
    bytes.push(Buffer.from(text.slice(from, match.index)));
    const code = match[1] as string;
    bytes.push(Uint8Array.of(code === '\\' ? 0x5c : Number.parseInt(code, 8)));
    from = match.index + match[0].length;
  }
  bytes.push(Buffer.from(text.slice(from)));
  return new Uint8Array(Buffer.concat(bytes));
}
