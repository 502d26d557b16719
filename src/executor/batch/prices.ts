/**
 * What things that a program holds take of the process, in bytes: the only place where the account of memory says so. Measured with
 * `bench/memory-account.ts`, which prints by how much an entry is off.
 */

import { isStringOneByteRepresentation } from 'node:v8';

/**
 * A slot of a list that grows by appending: half again as much room as there is in use, and behind it the shorter one that was copied, until
 * the next collection.
 */
export const slotBytes = 16;

/** An object or array, its members and cells not counted. */
export const objectBytes = 48;
const cellBytes = 9;

/** An array of known length, what is behind its cells not counted. */
export function arrayBytes(cells: number): number {
  return objectBytes + cells * cellBytes;
}

/** The object and the head of its characters. */
const textHeadBytes = 48;
/** Shorter ones are not asked how wide they are: that takes as long as making them. */
const askedLength = 16;

export function textBytes(text: string): number {
  const { length } = text;
  const isWide = length >= askedLength && !isStringOneByteRepresentation(text);
  return textHeadBytes + roundedUp(isWide ? length * 2 : length);
}

/** An integer beyond those that are exact as numbers, and the halves that it was put together from. */
export const bigIntBytes = 64;

/** A list of bytes that is an object of its own. */
export function byteListBytes(length: number): number {
  return 72 + roundedUp(length) + (length >>> 2);
}

/** An entry of a map, or of a table of keys, from a key to a number; the key itself not counted. Tables double when they are full. */
export const mapEntryBytes = 96;

/** A write of a transaction: where it is, its place in order, its key and value in memory shared with others. */
export function writeBytes(bytes: number): number {
  return 96 + bytes;
}

/** Memory is given out in steps of about a sixteenth. */
function roundedUp(bytes: number): number {
  return bytes + (bytes >>> 4);
}
