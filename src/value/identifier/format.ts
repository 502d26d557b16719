/** The canonical texts of UUID, ULID and XID (docs/lir.md §12). Other spellings are refused. */

import { formatBase64 } from '../base64.ts';
import type { ByteString } from '../datum.ts';
import type { IdentifierFormat } from '../types.ts';
import { type Alphabet, crockford, decode32, encode32, hex32 } from './base32.ts';

/** Number of bytes of an identifier by format. */
export const identifierLength: Readonly<Record<IdentifierFormat, number>> = {
  uuid: 16,
  ulid: 16,
  xid: 12,
};

/** Returns the canonical text. `bytes` must have the length of the format. */
export function formatIdentifier(format: IdentifierFormat, bytes: Uint8Array): string {
  switch (format) {
    case 'uuid':
      return formatUuid(bytes);
    case 'ulid':
      return encode32(crockford, bytes, 2);
    case 'xid':
      return encode32(hex32, bytes, 0);
  }
}

/** Returns the bytes of a canonical text; `undefined` for any other text. */
export function parseIdentifier(format: IdentifierFormat, text: string): Uint8Array | undefined {
  switch (format) {
    case 'uuid':
      return uuidPattern.test(text) ? Uint8Array.fromHex(text.replaceAll('-', '')) : undefined;
    case 'ulid':
      return parse32(crockford, text, 26, 2);
    case 'xid':
      return parse32(hex32, text, 20, 0);
  }
}

/** Returns the JSON text of a value of type bytes: identifier text if it has a format, base64 otherwise. */
export function formatBytes(value: ByteString): string {
  const { bytes, format } = value;
  return format !== undefined && bytes.length === identifierLength[format]
    ? formatIdentifier(format, bytes)
    : formatBase64(bytes);
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function formatUuid(bytes: Uint8Array): string {
  const hex = bytes.toHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function parse32(
  alphabet: Alphabet,
  text: string,
  length: number,
  pad: number,
): Uint8Array | undefined {
  return text.length === length ? decode32(alphabet, text, pad) : undefined;
}
