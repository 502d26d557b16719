/** C1, C2, E1 and P1 to P3. */

import { retire } from './collecting.ts';
import { createOnce, deliver } from './network.ts';
import { listPast, lose, succeed } from './opening.ts';
import {
  type Act,
  type Change,
  type Contents,
  commitOf,
  idle,
  lowestPin,
  on,
  type State,
  type Table,
  union,
  type Writer,
} from './state.ts';

export function commitSteps(s: State, i: number, act: Act<Writer>): void {
  const writer = s.writers[i] as Writer;
  const commit = commitOf(s.setting, i, writer.commits);
  if (writer.log === 'ack') {
    act('acks', (t, me) => {
      t.truth = { ...t.truth, acked: t.truth.acked | commit };
      me.log = 'append';
      me.commits++;
    });
    return;
  }
  if (writer.log === 'close' || writer.log === 'close?') {
    closingSteps(s, i, act);
    return;
  }
  if (writer.log === 'append' && writer.main === 'open' && s.setting.bounds.closes > 0) {
    act('closes', (_, me) => Object.assign(me, { main: 'closing', log: 'close' }));
  }
  if (writer.log === 'off' || writer.commits === s.setting.bounds.commits) return;
  const id = writer.last + 1;
  createOnce(s, writer, act, {
    commitQueue: 'log',
    request: { kind: 'wal', id, body: { by: i, epoch: writer.epoch, commit } },
    won: (_, me) => {
      me.log = 'ack';
      me.last = id;
      me.memory |= commit;
    },
    taken: lose,
  });
}

/** E1: whether it works or not, the writer is gone; its GC goes on with what it has. */
function closingSteps(s: State, i: number, act: Act<Writer>): void {
  const writer = s.writers[i] as Writer;
  const { epoch, last } = writer;
  const over: Change<Writer> = (_, me) =>
    Object.assign(me, { ...idle, main: 'lost', epoch: me.epoch, trash: me.trash });
  createOnce(s, writer, act, {
    commitQueue: 'log',
    request: { kind: 'wal', id: last + 1, body: { by: i, epoch, commit: 0 } },
    won: over,
    taken: over,
  });
}

export function publishingSteps(s: State, i: number, act: Act<Writer>): void {
  const { main, next, publishes } = s.writers[i] as Writer;
  if (main === 'open' && publishes < s.setting.bounds.publishes) beginSteps(s, i, act);
  if (next !== null) manifestSteps(s, i, next, act);
}

/** P1: a flush, or a compaction of the first two tables. */
function beginSteps(s: State, i: number, act: Act<Writer>): void {
  const { tables, memory, last, boundary } = s.writers[i] as Writer;
  const fresh = memory & ~union(tables);
  if (fresh !== 0)
    upload(s, i, act, { what: 'flush', commits: fresh, kept: tables, boundary: last });
  const [first, second, ...kept] = tables;
  if (first === undefined || second === undefined) return;
  upload(s, i, act, { what: 'compaction', commits: union([first, second]), kept, boundary });
}

interface Upload {
  readonly what: string;
  readonly commits: number;
  readonly kept: readonly Table[];
  readonly boundary: number;
}

function upload(s: State, i: number, act: Act<Writer>, plan: Upload): void {
  const { base, epoch, publishes } = s.writers[i] as Writer;
  const table: Table = { id: 100 * (i + 1) + publishes, epoch, commits: plan.commits };
  const next: Contents = { boundary: plan.boundary, tables: [...plan.kept, table] };
  act(`${plan.what}: PUT table/${table.id}`, (t, me) => {
    deliver(t, { kind: 'table', id: table.id, body: table });
    Object.assign(me, { main: 'publish', next, publishes: publishes + 1 });
    if (on(t, 'pinsFirst')) me.pins = lowestPin(t);
    if (on(t, 'deleteUnpublished')) retire(t, me, base + 1, next);
  });
}

/** P2 and P3. */
function manifestSteps(s: State, i: number, next: Contents, act: Act<Writer>): void {
  const writer = s.writers[i] as Writer;
  const { main, base, epoch } = writer;
  const published: Change<Writer> = (t, me) => {
    succeed(t, me, base + 1);
    retire(t, me, base + 1, next);
    Object.assign(me, next, { main: 'open', base: base + 1, next: null });
  };
  if (main === 'confirm') {
    listPast(base + 1, act, published);
    return;
  }
  createOnce(s, writer, act, {
    commitQueue: 'main',
    request: { kind: 'manifest', id: base + 1, body: { by: i, epoch, ...next } },
    won: (t, me) => {
      if (on(t, 'deleteUnconfirmed')) retire(t, me, base + 1, next);
      if (on(t, 'noListAfter')) published(t, me);
      else me.main = 'confirm';
    },
    taken: lose,
  });
}
