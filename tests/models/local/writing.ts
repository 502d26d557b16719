/** Commits one at a time: write, sync, look for a later claim, acknowledge. Flushes: manifest, look, delete what it covers. */

import { syncManifests } from './opening.ts';
import {
  type Act,
  type Change,
  commitOf,
  highestClaim,
  isThere,
  type Manifest,
  on,
  type Record,
  type State,
  segmentOf,
  type Writer,
  withSegment,
} from './state.ts';

export function writingSteps(s: State, i: number, act: Act): void {
  const { at, commits, flushes } = s.writers[i] as Writer;
  const { bounds } = s.setting;
  const commit = commitOf(s.setting, i, commits);
  if (at === 'run') {
    if (commits < bounds.commits) {
      if (on(s, 'checkFirst')) act('looks for a later claim', look('write'));
      else act('writes a record', (t, me) => write(t, me, commit));
    }
    if (flushes < bounds.flushes) {
      act('links a manifest', publish(0));
      // What its log says of records that are in no table matters only once they can vanish.
      if (commits > 0 && bounds.losses > 0) {
        const last = commitOf(s.setting, i, commits - 1);
        act('links a manifest whose tables lack its last record', publish(last));
      }
    }
    act('closes, links a manifest with its seal', close);
  } else if (at === 'write') act('writes a record', (t, me) => write(t, me, commit));
  else if (at === 'closed') act('syncs manifest/', syncManifests('dead'));
  else if (at === 'sync') {
    if (on(s, 'sealsUnsynced')) act('closes, links a manifest with its seal', close);
    act('syncs its segment', (t, me) => sync(t, me, 'synced'));
    if (s.left.failures > 0) act('its sync fails', (t, me) => sync(t, me, 'lost'));
  } else if (at === 'check') act('looks for a later claim', look('ack'));
  else if (at === 'ack') act('acknowledges', (t, me) => acknowledge(t, me, commit));
  else if (at === 'published') act('syncs manifest/', syncManifests('confirm'));
  else if (at === 'confirm') {
    act('looks for a later claim', look(on(s, 'trimFirst') ? 'run' : 'trim'));
  } else if (at === 'trim') act('deletes segments', trim);
}

function look(then: Writer['at']) {
  return (t: State, me: Writer): void => {
    me.at = highestClaim(t) > me.epoch ? 'dead' : then;
  };
}

/** A file that was deleted under its writer goes on without a name. */
function write(t: State, me: Writer, commit: number): void {
  const segment = segmentOf(t, me.epoch);
  const records: readonly Record[] = [...segment.records, { commit, is: 'written' }];
  withSegment(t, me.epoch, { ...segment, records });
  me.at = on(t, 'ackBeforeSync') ? 'ack' : 'sync';
}

/** After a failure the writer is over: nobody knows what is on the disk. */
function sync(t: State, me: Writer, is: 'synced' | 'lost'): void {
  const segment = segmentOf(t, me.epoch);
  const records = segment.records.map((it): Record => (it.is === 'written' ? { ...it, is } : it));
  withSegment(t, me.epoch, { ...segment, records });
  if (is === 'lost') {
    t.left = { ...t.left, failures: t.left.failures - 1 };
    me.at = 'dead';
  } else me.at = on(t, 'noPostCheck') || on(t, 'checkFirst') ? 'ack' : 'check';
}

function acknowledge(t: State, me: Writer, commit: number): void {
  t.truth = { ...t.truth, acked: t.truth.acked | commit };
  me.memory |= commit;
  me.commits++;
  me.at = 'run';
}

/** Everything acknowledged goes into tables, `but` what came after them. */
const publish =
  (but: number): Change =>
  (t, me) => {
    const { epoch, manifest, memory } = me;
    const next: Manifest = {
      epoch,
      number: manifest.number + 1,
      tables: memory & ~but,
      seals: {},
      reach: segmentOf(t, epoch).records.length,
      isDurable: false,
    };
    me.manifest = next;
    me.flushes++;
    t.manifests = [...t.manifests, next];
    if (on(t, 'trimFirst')) trim(t, me);
    if (on(t, 'noManifestDirSync')) me.at = 'confirm';
    else me.at = 'published';
    if (on(t, 'trimUnchecked')) trim(t, me);
  };

/** Nothing more is written to its segment, so it says how much of that counts. */
function close(t: State, me: Writer): void {
  const { epoch, manifest } = me;
  const { records } = segmentOf(t, epoch);
  const seals =
    records.length > 0 ? { ...manifest.seals, [epoch]: records.length } : manifest.seals;
  me.manifest = { ...manifest, number: manifest.number + 1, seals, reach: -1, isDurable: false };
  t.manifests = [...t.manifests, me.manifest];
  me.at = 'closed';
}

/** Earlier segments, and manifests below. The own segment stays: it may be written to. */
function trim(t: State, me: Writer): void {
  const { epoch, number } = me.manifest;
  t.segments = t.segments.map((segment, n) => {
    const isCovered = n + 1 < me.epoch && isThere(segment.name);
    return isCovered
      ? { ...segment, name: segment.name === 'fresh' ? 'absent' : 'leaving' }
      : segment;
  });
  t.manifests = t.manifests.filter(
    (it) => it.epoch > epoch || (it.epoch === epoch && it.number >= number),
  );
  if (me.at === 'trim') me.at = 'run';
}
