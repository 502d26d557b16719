/** Claim an epoch, read the newest manifest and the log, publish how much of it counts, make a segment (docs/storage-format.md, "Opening"). */

import {
  type Act,
  type Change,
  highestClaim,
  isThere,
  type Manifest,
  newestOf,
  on,
  type Record,
  type State,
  segmentOf,
  type Writer,
  withSegment,
} from './state.ts';

const goTo =
  (at: Writer['at']): Change =>
  (_, me) => {
    me.at = at;
  };

export function openingSteps(s: State, i: number, act: Act): void {
  const { at, epoch, scan } = s.writers[i] as Writer;
  // Writers that have not started are alike, so they may start in order.
  if (at === 'start' && (i === 0 || s.writers[i - 1]?.at !== 'start')) {
    act('lists epochs', (t, me) => {
      me.epoch = highestClaim(t) + 1;
      me.at = 'claim';
    });
  } else if (at === 'claim') act(`links epoch/${epoch}`, claim);
  else if (at === 'claimed') act('syncs epoch/', syncEpochs);
  else if (at === 'load') act('reads the newest manifest', load);
  else if (at === 'scan' && scan < epoch) act(`reads and syncs segment ${scan}`, read);
  else if (at === 'scan') act('is through with the log', goTo('seal'));
  else if (at === 'seal') act(`links manifest/${epoch}-1`, seal);
  else if (at === 'sealed') act('syncs manifest/', syncManifests('begin'));
  else if (at === 'begin') act('looks for a later claim, makes its segment', begin);
  else if (at === 'begun') act('syncs wal/', syncSegments);
}

function claim(t: State, me: Writer): void {
  if (isThere(t.epochs[me.epoch - 1])) {
    me.at = 'start';
    return;
  }
  const epochs = [...t.epochs];
  while (epochs.length < me.epoch) epochs.push('absent');
  epochs[me.epoch - 1] = 'fresh';
  t.epochs = epochs;
  me.at = on(t, 'noClaimDirSync') ? 'load' : 'claimed';
}

function syncEpochs(t: State, me: Writer): void {
  t.epochs = t.epochs.map((name) => (name === 'fresh' ? 'durable' : name));
  me.at = 'load';
}

function load(t: State, me: Writer): void {
  me.manifest = newestOf(t.manifests);
  me.memory = me.manifest.tables;
  me.scan = Math.max(1, me.manifest.epoch === 0 ? 1 : lowestRead(me.manifest));
  me.seals = {};
  me.at = 'scan';
}

/** Sealed segments, then those of the manifest's own epoch; later epochs wrote nothing before they published. */
function lowestRead({ epoch, seals }: Manifest): number {
  return Math.min(epoch, ...Object.keys(seals).map(Number));
}

function read(t: State, me: Writer): void {
  const epoch = me.scan++;
  const segment = segmentOf(t, epoch);
  const seal = me.manifest.seals[epoch];
  if (seal === undefined && epoch < me.manifest.epoch) return;
  const found = isThere(segment.name) ? wholeRecords(t, segment.records) : [];
  if (seal !== undefined && found.length < seal) {
    // A later writer may have deleted what it covers; who does not open at all is no harm.
    if (highestClaim(t) === me.epoch) {
      t.truth = { ...t.truth, wrong: `segment ${epoch} lacks records that were sealed` };
    }
    me.at = 'dead';
    return;
  }
  const counted = found.slice(0, seal);
  for (const { commit } of counted) me.memory |= commit;
  if (counted.length > 0) me.seals = { ...me.seals, [epoch]: counted.length };
  if (seal !== undefined || counted.length === 0 || on(t, 'noSyncOnRead')) return;
  const last = counted.length - 1;
  const secured = segment.records.map((record, n): Record => {
    // A sync reaches what is written; what an earlier sync failed to write must be written again. Earlier groups were synced.
    if (n > last || record.is === 'synced' || record.is === 'torn') return record;
    const isRewritten = n === last && !on(t, 'noRewrite');
    return record.is === 'written' || isRewritten ? { ...record, is: 'synced' } : record;
  });
  withSegment(t, epoch, { ...segment, records: secured });
}

/** Up to the first one that is torn. */
export function wholeRecords(s: State, records: readonly Record[]): readonly Record[] {
  if (on(s, 'tornCounts')) return records;
  const torn = records.findIndex(({ is }) => is === 'torn');
  return torn < 0 ? records : records.slice(0, torn);
}

function seal(t: State, me: Writer): void {
  const { epoch, manifest, seals } = me;
  const next = { ...manifest, epoch, number: 1, seals: on(t, 'noSeal') ? {} : seals };
  me.manifest = { ...next, isDurable: false };
  t.manifests = [...t.manifests, me.manifest];
  me.at = on(t, 'noManifestDirSync') ? 'begin' : 'sealed';
}

export function syncManifests(then: Writer['at']): Change {
  return (t, me) => {
    t.manifests = t.manifests.map((manifest) => ({ ...manifest, isDurable: true }));
    me.at = then;
  };
}

function begin(t: State, me: Writer): void {
  if (highestClaim(t) > me.epoch) {
    me.at = 'dead';
    return;
  }
  withSegment(t, me.epoch, { name: 'fresh', records: [] });
  me.at = on(t, 'noSegmentDirSync') ? 'run' : 'begun';
}

function syncSegments(t: State, me: Writer): void {
  t.segments = t.segments.map((segment) => {
    if (segment.name === 'fresh') return { ...segment, name: 'durable' };
    return segment.name === 'leaving' ? { ...segment, name: 'absent' } : segment;
  });
  me.at = 'run';
}
