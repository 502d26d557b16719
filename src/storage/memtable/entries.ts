/**
 * Entries in the arena: a *chain head* per key, followed by a chain of *versions*, newest first.
 *
 *     head     u32 newest version | u32 key length | key
 *     version  u32 older version (0: none) | u32 sequence, low | u32 sequence, high, with the tombstone flag as its highest bit
 *              u32 value length | value
 *
 * The order and the index refer to chain heads only. A chain head never moves, so a new version of an existing key changes neither.
 */

import { invariant } from '#base';
import type { EntrySpan } from '../key/entry-span.ts';
import { Arena, positionOf, sharedBytesMax } from './arena.ts';

export const deleteFlag = 0x8000_0000;
export const high = 0x1_0000_0000;
const chainHeadHeader = 8;
const versionHead = 16;
const versionHeadWords = versionHead / 4;

export class Entries {
  private readonly arena = new Arena();

  get bytes(): number {
    return this.arena.used;
  }

  /** Adds the first version of a key that has no chain head yet, and returns the new chain head. */
  addFirst(entry: EntrySpan, sequence: number): number {
    const { key, keyFrom, keyTo, value, valueFrom, valueTo, isTombstone } = entry;
    const chainHeadBytes = (chainHeadHeader + keyTo - keyFrom + 3) & ~3;
    const length = isTombstone ? 0 : valueTo - valueFrom;
    // An offset plus a position is valid only within a piece of the usual size. The version can follow the head only if both fit into one.
    const areTogether = chainHeadBytes + versionHead + length <= sharedBytesMax;
    if (!areTogether) return this.addApart(entry, sequence);
    const chainHead = this.arena.allocate(chainHeadBytes + versionHead + length);
    const bytes = this.arena.bytesAt(chainHead);
    const words = this.arena.wordsAt(chainHead);
    const at = positionOf(chainHead);
    let word = at >>> 2;
    words[word] = chainHead + chainHeadBytes;
    words[word + 1] = keyTo - keyFrom;
    copyInto(bytes, at + chainHeadHeader, key, keyFrom, keyTo);
    word = (at + chainHeadBytes) >>> 2;
    words[word] = 0;
    words[word + 1] = sequence;
    words[word + 2] = (sequence / high) | (isTombstone ? deleteFlag : 0);
    words[word + 3] = length;
    if (length > 0) copyInto(bytes, at + chainHeadBytes + versionHead, value, valueFrom, valueTo);
    return chainHead;
  }

  private addApart(entry: EntrySpan, sequence: number): number {
    const { key, keyFrom, keyTo } = entry;
    const chainHead = this.arena.allocate(chainHeadHeader + keyTo - keyFrom);
    const words = this.arena.wordsAt(chainHead);
    const at = positionOf(chainHead);
    words[at >>> 2] = 0;
    words[(at >>> 2) + 1] = keyTo - keyFrom;
    copyInto(this.arena.bytesAt(chainHead), at + chainHeadHeader, key, keyFrom, keyTo);
    this.addVersion(chainHead, sequence, entry);
    return chainHead;
  }

  /** Adds a version at the front of the chain of `chainHead`. */
  addVersion(chainHead: number, sequence: number, entry: EntrySpan): void {
    const older = this.newest(chainHead);
    invariant(
      older === 0 || this.sequence(older) <= sequence,
      'versions of a key arrive in the order of their sequences',
    );
    const { value, valueFrom, valueTo, isTombstone } = entry;
    const length = isTombstone ? 0 : valueTo - valueFrom;
    const version = this.arena.allocate(versionHead + length);
    const at = positionOf(version);
    const words = this.arena.wordsAt(version);
    const word = at >>> 2;
    words[word] = older;
    words[word + 1] = sequence;
    words[word + 2] = (sequence / high) | (isTombstone ? deleteFlag : 0);
    words[word + 3] = length;
    const target = this.arena.bytesAt(version);
    if (length > 0) copyInto(target, at + versionHead, value, valueFrom, valueTo);
    this.arena.wordsAt(chainHead)[positionOf(chainHead) >>> 2] = version;
  }

  newest(chainHead: number): number {
    return this.arena.wordsAt(chainHead)[positionOf(chainHead) >>> 2] as number;
  }

  /** Returns the next older version of the chain; 0 at the end. */
  older(version: number): number {
    return this.arena.wordsAt(version)[positionOf(version) >>> 2] as number;
  }

  sequence(version: number): number {
    const words = this.arena.wordsAt(version);
    const word = positionOf(version) >>> 2;
    return (words[word + 1] as number) + ((words[word + 2] as number) & ~deleteFlag) * high;
  }

  /** Returns the newest version of `chainHead` at or below `snapshot`; 0 if there is none. */
  visible(chainHead: number, snapshot: number): number {
    let version = this.newest(chainHead);
    while (version !== 0 && this.sequence(version) > snapshot) version = this.older(version);
    return version;
  }

  /** Points `target` at the key of `chainHead`. */
  showKey(chainHead: number, target: KeyTarget): void {
    const at = positionOf(chainHead);
    target.key = this.arena.bytesAt(chainHead);
    target.keyFrom = at + chainHeadHeader;
    target.keyTo = at + chainHeadHeader + this.keyLength(chainHead);
  }

  /** Returns a copy of the key of `chainHead`. */
  keyOf(chainHead: number): Uint8Array {
    const from = positionOf(chainHead) + chainHeadHeader;
    return this.arena.bytesAt(chainHead).slice(from, from + this.keyLength(chainHead));
  }

  /** Points `target` at the value of `version`. */
  showVersion(version: number, target: VersionTarget): void {
    const at = positionOf(version);
    const words = this.arena.wordsAt(version);
    const word = at >>> 2;
    const top = words[word + 2] as number;
    target.sequence = (words[word + 1] as number) + (top & ~deleteFlag) * high;
    target.isTombstone = top >= deleteFlag;
    target.value = this.arena.bytesAt(version);
    target.valueFrom = at + versionHead;
    target.valueTo = at + versionHead + (words[word + 3] as number);
  }

  /**
   * Copies an entry to `target[at]` as the words of the arena, without the word that refers to the newest version. Returns the end of the
   * copy. If `target` is too small, copies nothing and returns the negative number of words needed.
   */
  copyEntry(chainHead: number, version: number, target: Uint32Array, at: number): number {
    const words = this.arena.wordsAt(chainHead);
    const from = (positionOf(chainHead) >>> 2) + 1;
    const keyTo = from + 1 + (((words[from] as number) + 3) >>> 2);
    const ofVersion = this.arena.wordsAt(version);
    const versionFrom = positionOf(version) >>> 2;
    const valueTo =
      versionFrom + versionHeadWords + (((ofVersion[versionFrom + 3] as number) + 3) >>> 2);
    const end = at + keyTo - from + valueTo - versionFrom;
    if (end > target.length) return at - end;
    if (words === ofVersion && versionFrom === keyTo) {
      copyWords(target, at, words, from, valueTo);
    } else {
      copyWords(target, at, words, from, keyTo);
      copyWords(target, at + keyTo - from, ofVersion, versionFrom, valueTo);
    }
    return end;
  }

  /** Compares the key of `chainHead` with `key`. */
  compareToKey(chainHead: number, key: Uint8Array): number {
    const bytes = this.arena.bytesAt(chainHead);
    const from = positionOf(chainHead) + chainHeadHeader;
    const length = this.keyLength(chainHead);
    const shared = Math.min(length, key.length);
    for (let i = 0; i < shared; i++) {
      const difference = (bytes[from + i] as number) - (key[i] as number);
      if (difference !== 0) return difference;
    }
    return length - key.length;
  }

  /** Compares two chain heads by key. */
  compare(left: number, right: number): number {
    const leftWords = this.arena.wordsAt(left);
    const rightWords = this.arena.wordsAt(right);
    const leftWord = positionOf(left) >>> 2;
    const rightWord = positionOf(right) >>> 2;
    const leftLength = leftWords[leftWord + 1] as number;
    const rightLength = rightWords[rightWord + 1] as number;
    // Whole words decide, except for keys that differ only in trailing zeros: padding is zero on both sides, and a shorter key comes first.
    const words = (Math.min(leftLength, rightLength) + 3) >>> 2;
    for (let i = 2; i < words + 2; i++) {
      const a = leftWords[leftWord + i] as number;
      const b = rightWords[rightWord + i] as number;
      if (a !== b) {
        const lowest = (a ^ b) & -(a ^ b);
        const shift = (31 - Math.clz32(lowest)) & 24;
        return ((a >>> shift) & 0xff) - ((b >>> shift) & 0xff);
      }
    }
    return leftLength - rightLength;
  }

  /** Returns the number of equal bytes with which both keys begin. */
  sharedLength(left: number, right: number): number {
    const leftWords = this.arena.wordsAt(left);
    const rightWords = this.arena.wordsAt(right);
    const leftWord = positionOf(left) >>> 2;
    const rightWord = positionOf(right) >>> 2;
    const length = Math.min(leftWords[leftWord + 1] as number, rightWords[rightWord + 1] as number);
    for (let at = 0; at < length; at += 4) {
      const word = 2 + (at >>> 2);
      const a = leftWords[leftWord + word] as number;
      const b = rightWords[rightWord + word] as number;
      if (a !== b) return Math.min(length, at + ((31 - Math.clz32((a ^ b) & -(a ^ b))) >>> 3));
    }
    return length;
  }

  /** Returns the four bytes of the key from `at` on as a number. Bytes beyond its end count as zeros. */
  digits(chainHead: number, at: number): number {
    const bytes = this.arena.bytesAt(chainHead);
    const length = this.keyLength(chainHead);
    const from = positionOf(chainHead) + chainHeadHeader + at;
    if (at + 4 > length) {
      let digits = 0;
      for (let i = 0; i < 4; i++) {
        digits = digits * 256 + (at + i < length ? (bytes[from + i] as number) : 0);
      }
      return digits;
    }
    const low = ((bytes[from + 1] as number) << 16) | ((bytes[from + 2] as number) << 8);
    return (((bytes[from] as number) << 24) | low | (bytes[from + 3] as number)) >>> 0;
  }

  equalsKey(chainHead: number, key: Uint8Array): boolean {
    return this.keyLength(chainHead) === key.length && this.compareToKey(chainHead, key) === 0;
  }

  hasKey(chainHead: number, { key, keyFrom, keyTo }: EntrySpan): boolean {
    if (this.keyLength(chainHead) !== keyTo - keyFrom) return false;
    const bytes = this.arena.bytesAt(chainHead);
    let at = positionOf(chainHead) + chainHeadHeader;
    for (let i = keyFrom; i < keyTo; i++, at++) if (bytes[at] !== key[i]) return false;
    return true;
  }

  private keyLength(chainHead: number): number {
    return this.arena.wordsAt(chainHead)[(positionOf(chainHead) >>> 2) + 1] as number;
  }
}

interface KeyTarget {
  key: Uint8Array;
  keyFrom: number;
  keyTo: number;
}

interface VersionTarget {
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
  sequence: number;
  isTombstone: boolean;
}

/** Copies bytes. Up to about 200 bytes, a loop is faster than a view and `set`. */
function copyInto(
  target: Uint8Array,
  at: number,
  source: Uint8Array,
  from: number,
  to: number,
): void {
  if (to - from > 192) {
    target.set(source.subarray(from, to), at);
    return;
  }
  for (let i = from, j = at; i < to; i++, j++) target[j] = source[i] as number;
}

/** Copies words like `copyInto`. */
function copyWords(
  target: Uint32Array,
  at: number,
  source: Uint32Array,
  from: number,
  to: number,
): void {
  if (to - from > 48) {
    target.set(source.subarray(from, to), at);
    return;
  }
  for (let i = from, j = at; i < to; i++, j++) target[j] = source[i] as number;
}
