/** The stored records of the corpus: documents by hash, and the minutes in which each of them ran (docs/storage-format.md, Corpus records). */

import { keySpaces, prefixRange } from '#catalog';
import type { KeyRange } from '#storage';
import { hashBytes, hashOf } from './document.ts';

/** Kinds of corpus records, which are never renumbered. */
const programKind = 0x01;
const executionKind = 0x02;

const format = 1;
const timeBytes = 8;
const executionKeyBytes = 2 + timeBytes + hashBytes;
const countBytes = 4;
const countMax = 0xffff_ffff;

export const programRange = rangeOf(programKind);
export const executionRange = rangeOf(executionKind);

/** The executions of a program in the minute that ends at `atMs`. */
export interface ExecutionRecord {
  readonly atMs: number;
  readonly hash: string;
}

/** Returns whether the key has the kind of a program record. The rest of the key may be invalid. */
export function isProgramKey(key: Uint8Array): boolean {
  return key[1] === programKind;
}

/** Returns the hash in hexadecimal digits, even for a damaged record. */
export function hashOfProgram(key: Uint8Array): string {
  return key.subarray(2).toHex();
}

/** Returns the hash in hexadecimal digits, even for a damaged record. */
export function hashOfExecution(key: Uint8Array): string {
  return key.subarray(2 + timeBytes).toHex();
}

export function programKey(hash: string): Uint8Array {
  const key = keyOf(programKind, hashBytes);
  key.set(Uint8Array.fromHex(hash), 2);
  return key;
}

/** Returns the key of an execution record. Keys sort by time. */
export function executionKey({ atMs, hash }: ExecutionRecord): Uint8Array {
  const key = keyOf(executionKind, timeBytes + hashBytes);
  new DataView(key.buffer).setBigUint64(2, BigInt(atMs));
  key.set(Uint8Array.fromHex(hash), 2 + timeBytes);
  return key;
}

export function programValue(document: Uint8Array): Uint8Array {
  const value = new Uint8Array(1 + document.length);
  value[0] = format;
  value.set(document, 1);
  return value;
}

export function executionValue(executions: number): Uint8Array {
  const value = new Uint8Array(1 + countBytes);
  value[0] = format;
  new DataView(value.buffer).setUint32(1, Math.min(executions, countMax));
  return value;
}

/** Returns the hash and the size of the document in bytes; `undefined` if the value does not match its key. */
export function readProgram(
  key: Uint8Array,
  value: Uint8Array,
): { readonly hash: string; readonly bytes: number } | undefined {
  const document = value.subarray(1);
  const hash = hashOfProgram(key);
  if (value[0] !== format || hashOf(document) !== hash) return undefined;
  return { hash, bytes: document.length };
}

/** Decodes an execution record; `undefined` if it is invalid. */
export function readExecution(key: Uint8Array, value: Uint8Array): ExecutionRecord | undefined {
  if (value[0] !== format || value.length !== 1 + countBytes) return undefined;
  if (key.length !== executionKeyBytes) return undefined;
  const view = new DataView(key.buffer, key.byteOffset, key.length);
  const atMs = Number(view.getBigUint64(2));
  return { atMs, hash: hashOfExecution(key) };
}

function keyOf(kind: number, more: number): Uint8Array<ArrayBuffer> {
  const key = new Uint8Array(2 + more);
  key[0] = keySpaces.corpus;
  key[1] = kind;
  return key;
}

function rangeOf(kind: number): KeyRange {
  return prefixRange(keyOf(kind, 0));
}
