/** G1 to G3: of names that are garbage for ever, so that no stall matters. */

import { deliver } from './network.ts';
import {
  type Act,
  type Contents,
  type Do,
  has,
  idsOf,
  lowestPin,
  newest,
  noPin,
  on,
  type State,
  type Table,
  type Writer,
} from './state.ts';

/** G1: what manifest `id`, with these contents, makes garbage. Its tables wait for the pins. */
export function retire(t: State, me: Writer, id: number, { boundary, tables }: Contents): void {
  const kept = on(t, 'keepTwo') ? id - 1 : id;
  const below = on(t, 'keepManifests') ? 0 : kept;
  const isGroup = (wal: number): boolean => t.store.wal[wal]?.commit !== 0 || on(t, 'fenceGc');
  const flushed = idsOf(t.store.wal).filter((wal) => wal <= boundary && isGroup(wal));
  t.doomed = {
    manifestsBelow: Math.max(t.doomed.manifestsBelow, below),
    wal: [...new Set([...t.doomed.wal, ...flushed])].sort(),
  };
  const dropped = me.tables.filter((table) => !has(tables, table.id));
  discard(me, dropped, id);
  if (on(t, 'pinsFirst')) deleteTables(t, me, me.pins);
}

function discard(me: Writer, tables: readonly Table[], since: number): void {
  const fresh = tables.filter(({ id }) => !has(me.trash, id)).map(({ id }) => ({ id, since }));
  me.trash = [...me.trash, ...fresh].sort((a, b) => a.id - b.id);
}

/**
 * G2: a pin below `since` may belong to a reader of a manifest that has the table. The table goes with the listing: nobody waits for a table
 * to be absent, so a later deletion breaks nothing more.
 */
function deleteTables(t: State, me: Writer, lowest: number): void {
  for (const { id, since } of me.trash) if (since <= lowest) deliver(t, { kind: 'table', id });
  me.trash = me.trash.filter(({ since }) => since > lowest);
}

export function gcSteps(s: State, i: number, act: Act<Writer>): void {
  const { log, base, trash } = s.writers[i] as Writer;
  const pins = on(s, 'ignorePins') ? noPin : lowestPin(s);
  if (trash.some(({ since }) => since <= pins)) {
    act('GC lists pins, deletes tables', (t, me) => deleteTables(t, me, pins));
  }
  if (log === 'off') return;
  sweepSteps(s, i, act);
  if (!on(s, 'gcKeepsOwn')) return;
  for (const id of idsOf(s.store.manifest)) {
    if (id !== base) act(`GC DELETE manifest/${id}`, (t) => deliver(t, { kind: 'manifest', id }));
  }
}

/** G3: orphans of earlier epochs stay orphans, since no earlier epoch can publish any more. */
function sweepSteps(s: State, i: number, act: Act<Writer>): void {
  const { base, epoch, tables, trash, suspects } = s.writers[i] as Writer;
  const isOrphan = (table: Table): boolean =>
    on(s, 'sweepAny') || on(s, 'sweepLooksAgain')
      ? Math.floor(table.id / 100) !== i + 1
      : table.epoch < epoch;
  const isKnown = ({ id }: Table): boolean =>
    [tables, trash, suspects].some((known) => has(known, id));
  const orphans = Object.values(s.store.table).filter((it) => isOrphan(it) && !isKnown(it));
  if (orphans.length > 0) {
    act('GC lists tables', (t, me) => {
      if (on(t, 'sweepLooksAgain')) me.suspects = orphans;
      else discard(me, orphans, base);
    });
  }
  if (suspects.length === 0) return;
  act('GC lists manifests', (t, me) => {
    if (newest(t) === base) discard(me, suspects, base);
    me.suspects = [];
  });
}

/** What was decided to be deleted goes at any time. */
export function deletionSteps({ store, doomed }: State, step: Do): void {
  for (const id of idsOf(store.manifest)) {
    if (id >= doomed.manifestsBelow) continue;
    step(`GC DELETE manifest/${id}`, (t) => deliver(t, { kind: 'manifest', id }));
  }
  for (const id of doomed.wal) {
    if (store.wal[id] === undefined) continue;
    step(`GC DELETE wal/${id}`, (t) => deliver(t, { kind: 'wal', id }));
  }
}
