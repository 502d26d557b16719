/**
 * The memory costs, in bytes of the process, of objects that a program keeps in memory: the only place that defines them. They were measured with
 * `bench/memory-account.ts`, which prints the error of each entry.
 */

import { isStringOneByteRepresentation } from 'node:v8';

/**
 * A slot of a list that grows by appending. The array has capacity for half as many slots more than are in use, and the shorter array that was
 * copied stays until the next collection.
 */
export const slotBytes = 16;

/** An object or array, without its members and cells. */
export const objectBytes = 48;
const cellBytes = 9;

/** Returns the size of an array of known length, without the objects that its cells refer to. */
export function arrayBytes(cells: number): number {
  return objectBytes + cells * cellBytes;
}

/** The object and the header of its characters. */
const textHeadBytes = 48;
/** Length from which a text is checked for wide characters; for a shorter one the check takes as long as creating the text. */
const askedLength = 16;

export function textBytes(text: string): number {
  const { length } = text;
  const isWide = length >= askedLength && !isStringOneByteRepresentation(text);
  return textHeadBytes + roundedUp(isWide ? length * 2 : length);
}

/** An integer that a number cannot represent exactly, with the halves from which it was assembled. */
export const bigIntBytes = 64;

/** Returns the size of a separate list of bytes. */
export function byteListBytes(length: number): number {
  return 72 + roundedUp(length) + (length >>> 2);
}

/** An entry of a map, or of a key table, from a key to a number, without the key itself. Tables double when they are full. */
export const mapEntryBytes = 96;

/** Rounds up as the allocator does, in steps of about a sixteenth. */
function roundedUp(bytes: number): number {
  return bytes + (bytes >>> 4);
}
