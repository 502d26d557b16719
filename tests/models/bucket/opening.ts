/** O1 to O6. Also what all lanes of a writer share: how it loses, and when a manifest of its counts. */

import { retire } from './collecting.ts';
import { createOnce } from './network.ts';
import {
  type Act,
  type Change,
  idle,
  idsOf,
  type Manifest,
  newest,
  noManifest,
  on,
  type State,
  union,
  type Writer,
} from './state.ts';

/** The writer stops for good. Its GC goes on with what it has. */
export function lose(t: State, me: Writer): void {
  const leader = t.writers[t.store.manifest[newest(t)]?.by ?? -1];
  if (me.log !== 'off' && me === leader && !on(t, 'safetyOnly')) {
    t.truth = { ...t.truth, wrong: 'a writer is fenced though nobody opened after it' };
  }
  Object.assign(me, { ...idle, main: 'lost', epoch: me.epoch, trash: me.trash });
}

/** Manifest `id` counts as published: from here on deletions and commits depend on it. */
export function succeed(t: State, me: Writer, id: number): void {
  if (t.writers[t.truth.chain[id - 1] ?? -1] === me) return;
  t.truth = { ...t.truth, wrong: `success of manifest/${id}, which is not in the chain` };
}

/** The last word on manifest `id`: a listing that shows none above it. */
export function listPast(id: number, act: Act<Writer>, won: Change<Writer>): void {
  act(`LIST past manifest/${id}`, (t, me) => (newest(t) === id ? won : lose)(t, me));
}

const goTo =
  (step: Writer['main']): Change<Writer> =>
  (_, me) => {
    me.main = step;
  };

export function openingSteps(s: State, i: number, act: Act<Writer>): void {
  const { main, base } = s.writers[i] as Writer;
  // Idle writers are alike, so they may start in order.
  if (main === 'list' || (main === 'idle' && s.writers[i - 1]?.main !== 'idle')) list(act);
  else if (main === 'get') get(s, base, act);
  else if (main === 'claim' || main === 'claim?') claim(s, i, act);
  else if (main === 'claimed') listPast(base, act, goTo('replay'));
  else if (main === 'replay') replay(s, i, act);
  else if (main === 'fence' || main === 'fence?') fence(s, i, act);
  else if (main === 'check') listPast(base, act, opened);
}

/** O1. */
function list(act: Act<Writer>): void {
  act('LIST manifests', (t, me) => {
    me.base = newest(t);
    me.main = 'get';
  });
}

function get(s: State, base: number, act: Act<Writer>): void {
  const found = base === 0 ? noManifest : s.store.manifest[base];
  if (found === undefined) {
    act(`GET manifest/${base}: gone`, goTo('list'));
    return;
  }
  const { boundary, tables, epoch } = found;
  act(`GET manifest/${base}`, (_, me) => {
    const read = { boundary, tables, last: boundary, memory: union(tables) };
    Object.assign(me, { main: 'claim', epoch: epoch + 1, ...read });
  });
}

/** O2; O3 follows unless it is left out. */
function claim(s: State, i: number, act: Act<Writer>): void {
  const writer = s.writers[i] as Writer;
  const { base, epoch, boundary, tables } = writer;
  const body: Manifest = { by: i, epoch, boundary, tables };
  createOnce(s, writer, act, {
    commitQueue: 'main',
    request: { kind: 'manifest', id: base + 1, body },
    won: (t, me) => {
      me.base = base + 1;
      me.main = on(t, 'noListAfterClaim') ? 'replay' : 'claimed';
    },
    taken: goTo('list'),
  });
}

/** O4: to the first gap. Who opened after me left a fence before it. */
function replay(s: State, i: number, act: Act<Writer>): void {
  const { last, epoch } = s.writers[i] as Writer;
  const id = last + 1;
  const found = s.store.wal[id];
  if (found === undefined) {
    act(`GET wal/${id}: absent`, absent(s, id));
  } else if (found.epoch > epoch && !on(s, 'stepOverNewer')) {
    act(`GET wal/${id}: of epoch ${found.epoch}`, lose);
  } else {
    act(`GET wal/${id}`, (_, me) => {
      me.last = id;
      me.memory |= found.commit;
    });
  }
}

/** The listing comes with the reading: the later it comes, the more it shows. */
function absent(s: State, id: number): Change<Writer> {
  const isGap = on(s, 'gapCheck') && idsOf(s.store.wal).some((later) => later > id);
  return isGap ? lose : goTo('fence');
}

/** O5; O6 follows unless it is left out. */
function fence(s: State, i: number, act: Act<Writer>): void {
  const writer = s.writers[i] as Writer;
  const id = writer.last + 1;
  createOnce(s, writer, act, {
    commitQueue: 'main',
    request: { kind: 'wal', id, body: { by: i, epoch: writer.epoch, commit: 0 } },
    won: (t, me) => {
      me.last = id;
      if (on(t, 'noOpenCheck')) opened(t, me);
      else me.main = 'check';
    },
    taken: goTo('replay'),
  });
}

/** The claim held until after the fence: the replay is complete, and the log is mine from here. */
function opened(t: State, me: Writer): void {
  succeed(t, me, me.base);
  retire(t, me, me.base, me);
  me.main = 'open';
  me.log = 'append';
}
