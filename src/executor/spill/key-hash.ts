/**
 * Hashes keys for spilling; identical keys (docs/lir.md §2) have equal hashes. Rows with one key therefore meet again when memory cannot contain all
 * rows.
 */

import { finishHash, mixWord } from '#base';
import { ByteString, type Datum } from '#value';
import type { Selection, Vector } from '../batch/vector.ts';

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/** Writes to `out[row]` the hash of each selected row's key. Different keys with equal hashes mostly get different ones with another `seed`. */
export function hashKeys(
  keys: readonly Vector[],
  selection: Selection,
  count: number,
  seed: number,
  out: Uint32Array,
): void {
  const start = Math.imul(seed + 1, 0x9e3779b1);
  for (let i = 0; i < count; i++) {
    const row = selection[i] as number;
    let hash = start;
    for (let k = 0; k < keys.length; k++) {
      hash = mixWord(hash, hashOf((keys[k] as Vector)[row] as Datum, seed));
    }
    out[row] = finishHash(hash);
  }
}

function hashOf(datum: Datum, seed: number): number {
  switch (typeof datum) {
    case 'number':
      // -0 is identical to 0.
      float[0] = datum + 0;
      return (halves[0] as number) ^ Math.imul(halves[1] as number, 0x85ebca6b);
    case 'string':
      return Bun.hash.xxHash32(datum, seed);
    case 'bigint':
      return Number(BigInt.asUintN(32, datum ^ (datum >> 32n)));
    case 'boolean':
      return datum ? 3 : 5;
    default:
      if (datum === null) return 7;
      return datum instanceof ByteString
        ? Bun.hash.xxHash32(datum.bytes, seed)
        : hashOfMembers(datum as readonly Datum[], seed);
  }
}

/** Returns the hash of a row or an array. */
function hashOfMembers(members: readonly Datum[], seed: number): number {
  let hash = members.length;
  for (let i = 0; i < members.length; i++) {
    hash = mixWord(hash, hashOf(members[i] as Datum, seed));
  }
  return finishHash(hash);
}
