/** The messages of a client after the connection is open. */

import { BodyReader } from './body-reader.ts';
import type { Frame } from './frame-reader.ts';
import { ProtocolError } from './protocol-error.ts';

export interface ParseMessage {
  readonly kind: 'parse';
  readonly name: string;
  readonly text: string;
  /** Object ids of the parameter types; 0 where the context decides. */
  readonly types: readonly number[];
}

export interface BindMessage {
  readonly kind: 'bind';
  readonly portal: string;
  readonly statement: string;
  /** 0 for text, 1 for binary. No format: all are text. One: it applies to all. */
  readonly parameterFormats: readonly number[];
  readonly values: readonly (Uint8Array | null)[];
  readonly resultFormats: readonly number[];
}

export interface TargetMessage {
  readonly kind: 'describe' | 'close';
  readonly of: 'statement' | 'portal';
  readonly name: string;
}

export interface ExecuteMessage {
  readonly kind: 'execute';
  readonly portal: string;
  /** 0 for all rows. */
  readonly rowsMax: number;
}

export type FrontendMessage =
  | { readonly kind: 'query'; readonly text: string }
  | ParseMessage
  | BindMessage
  | TargetMessage
  | ExecuteMessage
  | { readonly kind: 'sync' | 'flush' | 'terminate' | 'copy' | 'function_call' };

const decoder: Readonly<Record<string, (body: BodyReader) => FrontendMessage>> = {
  Q: (body) => ({ kind: 'query', text: body.text() }),
  P: parseOf,
  B: bindOf,
  D: (body) => ({ kind: 'describe', ...targetOf(body) }),
  C: (body) => ({ kind: 'close', ...targetOf(body) }),
  E: (body) => ({ kind: 'execute', portal: body.text(), rowsMax: Math.max(0, body.int32()) }),
  S: () => ({ kind: 'sync' }),
  H: () => ({ kind: 'flush' }),
  X: () => ({ kind: 'terminate' }),
  d: ignored('copy'),
  c: ignored('copy'),
  f: ignored('copy'),
  F: ignored('function_call'),
};

/** Decodes a message. Throws a `ProtocolError` if its type is unknown or its fields do not fit. */
export function frontendMessage({ type, body }: Frame): FrontendMessage {
  const letter = String.fromCharCode(type);
  const decode = Object.hasOwn(decoder, letter) ? decoder[letter] : undefined;
  if (decode === undefined) throw new ProtocolError(`invalid frontend message type ${type}`);
  const reader = new BodyReader(body);
  const message = decode(reader);
  reader.done();
  return message;
}

function ignored(kind: 'copy' | 'function_call') {
  return (body: BodyReader): FrontendMessage => {
    body.take(body.remaining);
    return { kind };
  };
}

function parseOf(body: BodyReader): ParseMessage {
  const name = body.text();
  const text = body.text();
  const types = listOf(body.int16(), () => body.int32() >>> 0);
  return { kind: 'parse', name, text, types };
}

function bindOf(body: BodyReader): BindMessage {
  const portal = body.text();
  const statement = body.text();
  const parameterFormats = listOf(body.int16(), () => formatOf(body));
  const values = listOf(body.int16(), () => parameterOf(body));
  const resultFormats = listOf(body.int16(), () => formatOf(body));
  return { kind: 'bind', portal, statement, parameterFormats, values, resultFormats };
}

function parameterOf(body: BodyReader): Uint8Array | null {
  const length = body.int32();
  return length === -1 ? null : body.take(length);
}

function formatOf(body: BodyReader): number {
  const format = body.int16();
  if (format <= 1) return format;
  throw new ProtocolError(`unsupported format code: ${format}`, '22023');
}

function targetOf(body: BodyReader): { of: 'statement' | 'portal'; name: string } {
  const letter = body.byte();
  const of = letter === 0x53 ? 'statement' : letter === 0x50 ? 'portal' : undefined;
  if (of === undefined) throw new ProtocolError(`invalid message subtype ${letter}`);
  return { of, name: body.text() };
}

function listOf<T>(count: number, read: () => T): readonly T[] {
  if (count === 0) return [];
  const list: T[] = [];
  for (let i = 0; i < count; i++) list.push(read());
  return list;
}
