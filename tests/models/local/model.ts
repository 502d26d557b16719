/**
 * A store in a directory, checked state by state: a few writers without a lock, any of which may stall for any time, be killed, or find the
 * power gone. The names in a directory, and records, are lost or torn unless they were synced.
 */

import type { Model, Part, Step } from '../explore.ts';
import { canonicalize } from './canonical.ts';
import { isIntact, lossSteps } from './loss.ts';
import { openingSteps, wholeRecords } from './opening.ts';
import { commitsOf, outageSteps } from './outage.ts';
import type { LocalSetting } from './setting.ts';
import {
  type Act,
  highestClaim,
  initialState,
  isThere,
  newestOf,
  noManifest,
  partsOf,
  type Record,
  type State,
  stateOf,
  type Writer,
} from './state.ts';
import { writingSteps } from './writing.ts';

/** `isReduced`: of states that cannot be told apart by what follows, only one is looked at. */
export function localModel(setting: LocalSetting, isReduced = true): Model {
  return {
    initial: partsOf(initialState(setting)),
    successors: (parts) => successors(setting, parts, isReduced),
    violation: (parts) => violation(stateOf(setting, parts)),
  };
}

function successors(
  setting: LocalSetting,
  parts: readonly Part[],
  isReduced: boolean,
): readonly Step[] {
  const s = stateOf(setting, parts);
  const steps: Step[] = [];
  const step = (label: string, change: (t: State) => void): void => {
    const t = stateOf(setting, parts);
    change(t);
    if (isReduced) canonicalize(t);
    steps.push({ label, parts: partsOf(t) });
  };
  for (const i of s.writers.keys()) {
    const act: Act = (label, change) =>
      step(`writer ${i} ${label}`, (t) => {
        const me = { ...(t.writers[i] as Writer) };
        t.writers[i] = me;
        change(t, me);
        if (me.at === 'dead') t.writers[i] = forgotten(me);
      });
    openingSteps(s, i, act);
    writingSteps(s, i, act);
  }
  const crash = (label: string, change: (t: State) => void): void =>
    step(label, (t) => {
      change(t);
      t.writers = t.writers.map((it) => (it.at === 'dead' ? forgotten(it) : it));
    });
  outageSteps(s, crash);
  lossSteps(s, crash);
  return steps;
}

/** The dead are alike. A process that is killed is one that stalls for ever. */
function forgotten({ epoch }: Writer): Writer {
  const at = 'dead';
  const manifest = noManifest;
  return { at, epoch, carried: 0, manifest, memory: 0, scan: 0, seals: {}, commits: 0, flushes: 0 };
}

function violation(s: State): string {
  if (s.truth.wrong !== '') return s.truth.wrong;
  const unserved = servedWithout(s) || halfRecord(s);
  // What the next opening would find counts until something vanishes at rest: from then on it may refuse.
  return unserved !== '' || !isIntact(s) ? unserved : lostCommit(s) || resurrectedCommit(s);
}

/** Whoever serves has everything that was acknowledged, or has refused to open. */
function servedWithout(s: State): string {
  const isWithout = s.writers.some(
    ({ at, epoch, memory }) =>
      serves.has(at) && epoch >= highestClaim(s) && (s.truth.acked & ~memory) !== 0,
  );
  return isWithout ? 'a writer serves without an acknowledged commit' : '';
}

/** What an opening finds now, or after the worst power loss. */
function recoverable(s: State, isSafe: (record: Record) => boolean, isNamed: typeof isThere) {
  const isAfterLoss = isNamed !== isThere;
  const manifests = s.manifests.filter(({ isDurable }) => isDurable || !isAfterLoss);
  const { tables, seals, epoch, reach } = newestOf(manifests);
  let found = tables;
  for (const [n, { name, records }] of s.segments.entries()) {
    const seal = seals[n + 1];
    if (!isNamed(name) || (seal === undefined && n + 1 < epoch)) continue;
    if (n + 1 === epoch && seal === undefined && reach < 0) continue;
    const whole = wholeRecords(s, records);
    const unsafe = whole.findIndex((record) => !isSafe(record));
    const end = unsafe < 0 ? whole.length : unsafe;
    for (const { commit } of whole.slice(0, Math.min(end, seal ?? end))) found |= commit;
  }
  return found;
}

function lostCommit(s: State): string {
  const found = recoverable(
    s,
    ({ is }) => is === 'synced',
    (name) => name === 'durable' || name === 'leaving',
  );
  return (s.truth.acked & ~found) === 0 ? '' : 'an acknowledged commit is lost with the power';
}

/** Once a writer serves without a record of an earlier epoch, nobody may find that record again. */
function resurrectedCommit(s: State): string {
  const found = recoverable(s, () => true, isThere);
  for (const open of s.writers) {
    if (!serves.has(open.at) || open.epoch < highestClaim(s)) continue;
    for (const [i, { epoch }] of s.writers.entries()) {
      if (epoch >= open.epoch || (found & commitsOf(s, i) & ~open.memory) === 0) continue;
      return 'a record of an earlier epoch comes back after a later one has opened';
    }
  }
  return '';
}

const serves: ReadonlySet<Writer['at']> = new Set([
  'run',
  'write',
  'sync',
  'check',
  'ack',
  'publish',
  'published',
  'confirm',
  'trim',
  'closed',
]);

/** Half a record is none. */
function halfRecord(s: State): string {
  let torn = 0;
  for (const { records } of s.segments) {
    for (const { commit, is } of records) if (is === 'torn') torn |= commit;
  }
  const isTaken = s.writers.some(({ memory }) => (memory & torn) !== 0);
  return isTaken ? 'half a record is taken for a whole one' : '';
}
