/** A program as the corpus keeps it: one text for all ways of writing it, named by its hash (operations.md §8.7). */

import { encodeUtf8 } from '#base';
import { ExactNumber, parseShortJson } from '#value';

const documentBytesMax = 4 << 10;
export const hashBytes = 16;
/** Blanks may make a body longer than its document; so long ones are not looked at. */
export const bodyLengthMax = 16 << 10;
/** Bodies have been checked before. */
const depthMax = 1024;

export interface CorpusDocument {
  /** JSON in UTF-8: members sorted, no blanks, no digit of a number lost. */
  readonly bytes: Uint8Array;
  /** Names `bytes`, in hexadecimal digits. */
  readonly hash: string;
}

/** TypeScript does not know `JSON.rawJSON` yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/** Undefined where the document is too large. `isQuery`: the body is the relation of one query, which is a program of one statement. */
export function documentOf(body: string, isQuery: boolean): CorpusDocument | undefined {
  const parsed = parseShortJson(body, depthMax);
  if (parsed.kind === 'malformed') return undefined;
  const { value } = parsed;
  const program = isQuery
    ? { statements: [{ kind: 'query', name: 'query', relation: value }] }
    : value;
  const bytes = encodeUtf8(JSON.stringify(program, canonical));
  return bytes.length > documentBytesMax ? undefined : { bytes, hash: hashOf(bytes) };
}

/** Whether a text from outside can be looked at as a document at all: a JSON object. */
export function isDocument(text: string): boolean {
  return text.startsWith('{') && parseShortJson(text, depthMax).kind !== 'malformed';
}

/** The first 16 bytes of SHA-256. */
export function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256')
    .update(bytes)
    .digest('hex')
    .slice(0, 2 * hashBytes);
}

function canonical(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJson(String(value));
  if (Object.is(value, -0)) return rawJson('-0.0');
  if (value instanceof ExactNumber) return rawJson(value.source);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
