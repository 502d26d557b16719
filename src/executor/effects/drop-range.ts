/**
 * Deletes what stands under a dropped physical id, in pieces, up to a bound. Physical ids are never reused, so whatever is left is
 * unreachable: deleting is only about space, and a large remainder must not swell one transaction.
 */

import { afterKey } from '#base';
import { rangesOfPhysicalId } from '#catalog';
import type { KeyRange } from '#storage';
import { eachEntry } from '../mutate/on-delete/referencing.ts';
import type { Writing } from '../mutate/writing.ts';
import type { Steps } from '../steps.ts';

const pieceKeys = 1024;
const keysMax = 65_536;

export function* dropRange(writing: Writing, physicalId: number): Steps<void> {
  for (const range of rangesOfPhysicalId(physicalId)) yield* dropKeys(writing, range);
}

function* dropKeys(writing: Writing, whole: KeyRange): Steps<void> {
  let range = whole;
  for (let dropped = 0; dropped < keysMax; dropped += pieceKeys) {
    const keys: Uint8Array[] = [];
    yield* eachEntry(writing, range, (cursor) => {
      keys.push(cursor.key.slice(cursor.keyFrom, cursor.keyTo));
      return keys.length < pieceKeys;
    });
    for (const key of keys) writing.delete(key);
    const last = keys.at(-1);
    if (last === undefined || keys.length < pieceKeys) return;
    range = { from: afterKey(last), to: range.to };
  }
}
