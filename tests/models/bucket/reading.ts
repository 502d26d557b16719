/** R1 to R4: one attempt of a reader, and another one. */

import { send } from './network.ts';
import {
  type Act,
  type Change,
  newest,
  on,
  type Reader,
  type Request,
  type State,
} from './state.ts';

function orderOf(s: State): readonly Reader['at'][] {
  if (on(s, 'readLate')) return ['list', 'pin', 'check', 'get', 'reading'];
  if (on(s, 'pinAfterList')) return ['list', 'get', 'check', 'pin', 'reading'];
  return ['list', 'get', 'pin', 'check', 'reading'];
}

export function readerSteps(s: State, i: number, act: Act<Reader>): void {
  const { at, manifest, attempt } = s.readers[i] as Reader;
  const pin: Request = { kind: 'pin', id: 10 * i + (on(s, 'pinNameReused') ? 0 : attempt) };
  const order = orderOf(s);
  const pass: Change<Reader> = (_, me) => {
    me.at = order[order.indexOf(at) + 1] ?? 'done';
  };
  const end: Change<Reader> = (_, me) => {
    const again = at !== 'reading' && attempt === 0;
    Object.assign(me, { manifest: 0, body: null, at: again ? 'list' : 'done' });
    if (again) me.attempt = 1;
  };
  const body = s.store.manifest[manifest];
  if (at === 'list' && newest(s) > 0) {
    act('LIST manifests', (t, me) => {
      me.manifest = newest(t);
      pass(t, me);
    });
  } else if (at === 'get' && body === undefined) {
    act(`GET manifest/${manifest}: gone`, end);
  } else if (at === 'get') {
    act(`GET manifest/${manifest}`, (t, me) => {
      me.body = body ?? null;
      pass(t, me);
    });
  } else if (at === 'pin') {
    // Sent until it is answered.
    const timeout = on(s, 'pinUnconfirmed') ? pass : () => {};
    send(s, act, { ...pin, body: manifest }, { answer: pass, timeout });
  } else if (at === 'check' && isGood(s, manifest)) {
    act('LIST manifests: still the newest', pass);
  } else if (at === 'check' || at === 'reading') {
    send(s, act, pin, { answer: end, timeout: end });
  }
}

function isGood(s: State, manifest: number): boolean {
  if (on(s, 'presenceCheck')) return s.store.manifest[manifest] !== undefined;
  return newest(s) === manifest;
}
