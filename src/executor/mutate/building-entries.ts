/**
 * Keeps an index that is being built consistent with the rows (docs/migrations.md). A unique index accepts duplicates until it is validated: the
 * first row of a tuple has the entry, every other row has a claim on it. If the entry is removed, a claim replaces it.
 */

import { equalBytes, type Steps } from '#base';
import { checkIndexEntry, claimKey, claimRange, type IndexLayout, valueOfClaim } from '#layout';
import type { Row } from '#value';
import type { AddedRows, IndexEntry, NumberedRows } from './index-entries.ts';
import type { MutationContext } from './mutation-context.ts';
import { eachEntry } from './on-delete/referencing.ts';

export function* enterRows(
  writing: MutationContext,
  layout: IndexLayout,
  { run, rows }: AddedRows,
): Steps<void> {
  yield* eachRow(writing, rows.length, (i) =>
    enter(writing, layout, rows.at(i) as Row, run.key(i)),
  );
}

export function* leaveRows(
  writing: MutationContext,
  layout: IndexLayout,
  { keys, rows }: NumberedRows,
): Steps<void> {
  yield* eachRow(writing, rows.length, (i) =>
    leave(writing, layout, layout.entry(rows[i] as Row, keys[i] as Uint8Array)),
  );
}

/** First removes all old tuples, so that rows may swap values. */
export function* changeRows(
  writing: MutationContext,
  layout: IndexLayout,
  before: NumberedRows,
  after: readonly Row[],
): Steps<void> {
  const fresh: number[] = [];
  yield* eachRow(writing, after.length, function* (i) {
    const rowKey = before.keys[i] as Uint8Array;
    const old = layout.entry(before.rows[i] as Row, rowKey);
    if (equalBytes(old.key, layout.entry(after[i] as Row, rowKey).key)) return;
    yield* leave(writing, layout, old);
    fresh.push(i);
  });
  yield* eachRow(writing, fresh.length, (at) => {
    const i = fresh[at] as number;
    return enter(writing, layout, after[i] as Row, before.keys[i] as Uint8Array);
  });
}

/** Runs `step` for each row number, with pauses in between. */
function* eachRow(
  writing: MutationContext,
  count: number,
  step: (i: number) => Steps<void>,
): Steps<void> {
  for (let i = 0; i < count; i++) {
    const pause = writing.pause(4);
    if (pause !== undefined) yield pause;
    yield* step(i);
  }
}

function* enter(
  writing: MutationContext,
  layout: IndexLayout,
  row: Row,
  rowKey: Uint8Array,
): Steps<void> {
  const entry = layout.entry(row, rowKey);
  checkIndexEntry(layout, entry, rowKey);
  if (entry.value.length > 0) {
    const held = yield* writing.read(entry.key);
    if (held !== undefined && !equalBytes(held, entry.value)) {
      writing.put(claimKey(layout.index.physicalId, entry), nothing);
      return;
    }
  }
  writing.put(entry.key, entry.value);
}

/** The build might not have reached the row yet. The tombstone then hides the entry that the build ingests later. */
function* leave(writing: MutationContext, { index }: IndexLayout, entry: IndexEntry): Steps<void> {
  if (entry.value.length === 0) {
    writing.delete(entry.key);
    return;
  }
  const held = yield* writing.read(entry.key);
  if (held === undefined) writing.delete(entry.key);
  if (held === undefined || !equalBytes(held, entry.value)) {
    writing.delete(claimKey(index.physicalId, entry));
    return;
  }
  const heir = yield* firstClaim(writing, index.physicalId, entry.key);
  if (heir === undefined) {
    writing.delete(entry.key);
  } else {
    writing.delete(heir);
    writing.put(entry.key, valueOfClaim(heir, entry.key));
  }
}

function* firstClaim(
  writing: MutationContext,
  physicalId: number,
  entryKey: Uint8Array,
): Steps<Uint8Array | undefined> {
  let first: Uint8Array | undefined;
  yield* eachEntry(writing, claimRange(physicalId, entryKey), (cursor) => {
    first = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
    return false;
  });
  return first;
}

const nothing = new Uint8Array(0);
