/** A program in the form of the corpus: one canonical text for all equivalent notations, identified by its hash (docs/corpus.md). */

import { encodeUtf8 } from '#base';
import { ExactNumber, parseShortJson } from '#value';

const documentBytesMax = 4 << 10;
export const hashBytes = 16;
/** Maximum length of a body. White space can make it longer than its document, but a longer body is not parsed. */
export const bodyLengthMax = 16 << 10;
/** Maximum nesting depth. Bodies have already been checked by the request parser. */
const depthMax = 1024;

export interface CorpusDocument {
  /** JSON in UTF-8: members are sorted, there is no white space, and numbers keep all of their digits. */
  readonly bytes: Uint8Array;
  /** Hash of `bytes`, in hexadecimal digits. */
  readonly hash: string;
}

/** `JSON.rawJSON`, which the type declarations of TypeScript do not contain yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/** Converts a body; `undefined` if the document is too large. `isQuery`: the body is the relation of a single query, which becomes a program of one statement. */
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

/** Returns whether a text from another process can be a document, which is a JSON object. */
export function isDocument(text: string): boolean {
  return text.startsWith('{') && parseShortJson(text, depthMax).kind !== 'malformed';
}

/** Returns the first 16 bytes of the SHA-256 digest, in hexadecimal digits. */
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
