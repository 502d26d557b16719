/** Texts of `bytea` and of identifiers. */

import { ByteString, formatIdentifier, type IdentifierFormat, parseIdentifier } from '#value';
import { sqlError } from '../sql-error.ts';
import { invalidText } from './text-error.ts';

/** Reads both forms: `\x` and digits, or characters with escapes. */
export function readBytea(text: string): ByteString {
  return new ByteString(text.startsWith('\\x') ? readHex(text.slice(2)) : readEscaped(text));
}

function readHex(text: string): Uint8Array {
  // Spaces separate bytes, not the digits of one.
  const digits = text.replace(/[ \t\r\n]*([0-9a-f]{2})[ \t\r\n]*/giy, '$1');
  const wrong = /[^0-9a-f]/i.exec(digits);
  if (wrong !== null) {
    const digit = characterAt(digits, wrong.index);
    throw sqlError('22023', `invalid hexadecimal digit: "${digit}"`);
  }
  if (digits.length % 2 !== 0) {
    throw sqlError('22023', 'invalid hexadecimal data: odd number of digits');
  }
  return Uint8Array.fromHex(digits);
}

function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) as number);
}

function readEscaped(text: string): Uint8Array {
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let at = 0; at < source.length; at++) {
    const byte = source[at] as number;
    if (byte !== 0x5c) {
      bytes.push(byte);
    } else if (source[at + 1] === 0x5c) {
      bytes.push(byte);
      at++;
    } else {
      const digits = source.toString('latin1', at + 1, at + 4);
      if (!/^[0-3][0-7]{2}$/.test(digits)) {
        throw sqlError('22P02', 'invalid input syntax for type bytea');
      }
      bytes.push(Number.parseInt(digits, 8));
      at += 3;
    }
  }
  return new Uint8Array(bytes);
}

export function writeBytea(bytes: Uint8Array, output: 'hex' | 'escape'): string {
  if (output === 'hex') return `\\x${bytes.toHex()}`;
  let text = '';
  for (const byte of bytes) {
    if (byte === 0x5c) text += '\\\\';
    else if (byte < 0x20 || byte > 0x7e) text += `\\${byte.toString(8).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return text;
}

/** Reads a uuid in any spelling of PostgreSQL: digits of both cases, a hyphen after any four of them, braces around. */
export function readUuid(text: string): ByteString {
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  if (!/^(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}$/i.test(inner)) throw invalidText('uuid', text);
  return new ByteString(Uint8Array.fromHex(inner.replaceAll('-', '')), 'uuid');
}

/** Reads the canonical text of a ulid or xid. */
export function readIdentifier(format: IdentifierFormat, text: string): ByteString {
  const bytes = parseIdentifier(format, text);
  if (bytes === undefined) throw invalidText(format, text);
  return new ByteString(bytes, format);
}

export function writeIdentifier(format: IdentifierFormat, value: ByteString): string {
  return formatIdentifier(format, value.bytes);
}
