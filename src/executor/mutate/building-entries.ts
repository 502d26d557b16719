/**
 * Keeps an index that is being built consistent with the rows (docs/migrations.md). A unique index accepts duplicates until it is validated: the
 * first row of a tuple has the entry, every other row has a claim on it. If the entry is removed, a claim replaces it.
 */

import { equalBytes, type Steps } from '#base';
import { checkIndexEntry, claimKey, claimRange, type IndexLayout, valueOfClaim } from '#layout';
import type { Row } from '#value';
import type { AddedRows, NumberedRows } from './index-entries.ts';
import type { MutationContext } from './mutation-context.ts';
import { eachEntry } from './on-delete/referring.ts';
import type { IndexEntry } from './unique-entries.ts';

export function* enterRows(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { run, rows }: AddedRows,
): Steps<void> {
  yield* eachRow(mutationContext, rows.length, (i) =>
    enter(mutationContext, layout, rows.at(i) as Row, run.key(i)),
  );
}

export function* leaveRows(
  mutationContext: MutationContext,
  layout: IndexLayout,
  { keys, rows }: NumberedRows,
): Steps<void> {
  yield* eachRow(mutationContext, rows.length, (i) =>
    leave(mutationContext, layout, layout.entry(rows[i] as Row, keys[i] as Uint8Array)),
  );
}

/** First removes all old tuples, so that rows may swap values. */
export function* changeRows(
  mutationContext: MutationContext,
  layout: IndexLayout,
  before: NumberedRows,
  after: readonly Row[],
): Steps<void> {
  const fresh: number[] = [];
  yield* eachRow(mutationContext, after.length, function* (i) {
    const rowKey = before.keys[i] as Uint8Array;
    const old = layout.entry(before.rows[i] as Row, rowKey);
    if (equalBytes(old.key, layout.entry(after[i] as Row, rowKey).key)) return;
    yield* leave(mutationContext, layout, old);
    fresh.push(i);
  });
  yield* eachRow(mutationContext, fresh.length, (at) => {
    const i = fresh[at] as number;
    return enter(mutationContext, layout, after[i] as Row, before.keys[i] as Uint8Array);
  });
}

/** Runs `step` for each row number, with pauses in between. */
function* eachRow(
  mutationContext: MutationContext,
  count: number,
  step: (i: number) => Steps<void>,
): Steps<void> {
  for (let i = 0; i < count; i++) {
    const pause = mutationContext.pause(4);
    if (pause !== undefined) yield pause;
    yield* step(i);
  }
}

function* enter(
  mutationContext: MutationContext,
  layout: IndexLayout,
  row: Row,
  rowKey: Uint8Array,
): Steps<void> {
  const entry = layout.entry(row, rowKey);
  checkIndexEntry(layout, entry, rowKey);
  if (entry.value.length > 0) {
    const held = yield* mutationContext.read(entry.key);
    if (held !== undefined && !equalBytes(held, entry.value)) {
      mutationContext.put(claimKey(layout.index.physicalId, entry), nothing);
      return;
    }
  }
  mutationContext.put(entry.key, entry.value);
}

/** The build might not have reached the row yet. The tombstone then hides the entry that the build ingests later. */
function* leave(
  mutationContext: MutationContext,
  { index }: IndexLayout,
  entry: IndexEntry,
): Steps<void> {
  if (entry.value.length === 0) {
    mutationContext.delete(entry.key);
    return;
  }
  const held = yield* mutationContext.read(entry.key);
  if (held === undefined) mutationContext.delete(entry.key);
  if (held === undefined || !equalBytes(held, entry.value)) {
    mutationContext.delete(claimKey(index.physicalId, entry));
    return;
  }
  const heir = yield* firstClaim(mutationContext, index.physicalId, entry.key);
  if (heir === undefined) {
    mutationContext.delete(entry.key);
  } else {
    mutationContext.delete(heir);
    mutationContext.put(entry.key, valueOfClaim(heir, entry.key));
  }
}

function* firstClaim(
  mutationContext: MutationContext,
  physicalId: number,
  entryKey: Uint8Array,
): Steps<Uint8Array | undefined> {
  let first: Uint8Array | undefined;
  yield* eachEntry(mutationContext, claimRange(physicalId, entryKey), (cursor) => {
    first = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
    return false;
  });
  return first;
}

const nothing = new Uint8Array(0);
