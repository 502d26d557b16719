/** Claim an epoch above every name, read the newest manifest and the log, make a segment, publish how much counts and where the log goes on (docs/storage-format.md, "Opening"). */

import { isIntact } from './loss.ts';
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
    act('lists what is named after an epoch', (t, me) => {
      me.carried = Math.max(newestOf(t.manifests).epoch, highestSegment(t));
      me.at = 'list';
    });
  } else if (at === 'list') act('lists epochs', list);
  else if (at === 'listed') act('syncs epoch/', syncEpochs('claim'));
  else if (at === 'claim') act(`links epoch/${epoch}`, claim);
  else if (at === 'claimed') act('syncs epoch/', syncEpochs('load'));
  else if (at === 'load') act('reads the newest manifest', load);
  else if (at === 'scan' && scan < epoch) act(`reads and syncs segment ${scan}`, read);
  else if (at === 'scan')
    act('is through with the log', goTo(on(s, 'manifestFirst') ? 'seal' : 'begin'));
  else if (at === 'begin') act('makes its segment', begin);
  else if (at === 'begun') act('syncs wal/', syncSegments);
  else if (at === 'seal') act(`links manifest/${epoch}-1, which names it`, seal);
  else if (at === 'sealed') {
    act('syncs manifest/', syncManifests(on(s, 'manifestFirst') ? 'begin' : 'settle'));
  } else if (at === 'settle') {
    act('looks for a later claim', (t, me) => {
      me.at = highestClaim(t) > me.epoch ? 'dead' : 'run';
    });
  }
}

/** Every epoch that a name carries was claimed, and so was every one below a claim. */
function list(t: State, me: Writer): void {
  const highest = highestClaim(t);
  const last = Math.max(highest, me.carried);
  const lacks = Array.from({ length: last }, (_, n) => n + 1).filter(
    (epoch) => !isThere(t.epochs[epoch - 1]),
  );
  me.epoch = highest + 1;
  me.at = highest === 0 || on(t, 'noListDirSync') ? 'claim' : 'listed';
  const [missing] = lacks;
  if (missing === undefined || on(t, 'claimBelowNames')) return;
  refuse(t, me, `epoch/${missing} is missing`);
}

/** Does no harm when something vanished at rest, or a later writer has deleted what it covers. */
function refuse(t: State, me: Writer, what: string): void {
  if (isIntact(t) && highestClaim(t) <= me.epoch) t.truth = { ...t.truth, wrong: what };
  me.at = 'dead';
}

function highestSegment(t: State): number {
  return t.segments.findLastIndex(({ name }) => isThere(name)) + 1;
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

const syncEpochs =
  (next: Writer['at']): Change =>
  (t, me) => {
    t.epochs = t.epochs.map((name) => (name === 'fresh' ? 'durable' : name));
    me.at = next;
  };

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
  const { manifest } = me;
  const seal = manifest.seals[epoch];
  if (seal === undefined && epoch < manifest.epoch) return;
  const found = isThere(segment.name) ? wholeRecords(t, segment.records) : [];
  const trouble = troubleOf(t, { epoch, manifest }, found.length);
  if (trouble !== '') {
    refuse(t, me, trouble);
    return;
  }
  const isClosed = epoch === manifest.epoch && manifest.reach < 0;
  if (seal === undefined && (isClosed || epoch > manifest.epoch)) return;
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

/** What is wrong with a segment by what the newest manifest says of the log, or ''. */
function troubleOf(
  t: State,
  { epoch, manifest }: Pick<Writer, 'epoch' | 'manifest'>,
  found: number,
): string {
  const { name, isLater } = segmentOf(t, epoch);
  const seal = manifest.seals[epoch];
  if (seal !== undefined) {
    return found < seal ? `segment ${epoch} lacks records that were sealed` : '';
  }
  if (epoch > manifest.epoch) {
    if (!isThere(name) || on(t, 'strangersIgnored')) return '';
    const isUnused = found === 0 && !(manifest.epoch === 0 && isLater);
    return isUnused ? '' : `segment ${epoch} is of no manifest`;
  }
  if (manifest.epoch === 0 || manifest.reach < 0) return '';
  if (!isThere(name)) return on(t, 'segmentUnnamed') ? '' : `segment ${epoch} is missing`;
  const isShort = found < manifest.reach && !on(t, 'reachIgnored');
  return isShort ? `segment ${epoch} ends below what its manifest says` : '';
}

/** Up to the first one that is torn. */
export function wholeRecords(s: State, records: readonly Record[]): readonly Record[] {
  if (on(s, 'tornCounts')) return records;
  const torn = records.findIndex(({ is }) => is === 'torn');
  return torn < 0 ? records : records.slice(0, torn);
}

function seal(t: State, me: Writer): void {
  const { epoch, manifest, seals } = me;
  const next = { ...manifest, epoch, number: 1, seals: on(t, 'noSeal') ? {} : seals, reach: 0 };
  me.manifest = { ...next, isDurable: false };
  t.manifests = [...t.manifests, me.manifest];
  me.at = on(t, 'noManifestDirSync') ? 'settle' : 'sealed';
}

export function syncManifests(then: Writer['at']): Change {
  return (t, me) => {
    t.manifests = t.manifests.map((manifest) => ({ ...manifest, isDurable: true }));
    me.at = then;
  };
}

function begin(t: State, me: Writer): void {
  withSegment(t, me.epoch, { name: 'fresh', records: [], isLater: me.memory !== 0 });
  me.at = on(t, 'noSegmentDirSync') ? 'seal' : 'begun';
}

function syncSegments(t: State, me: Writer): void {
  t.segments = t.segments.map((segment) => {
    if (segment.name === 'fresh') return { ...segment, name: 'durable' };
    return segment.name === 'leaving' ? { ...segment, name: 'absent' } : segment;
  });
  me.at = on(t, 'manifestFirst') ? 'settle' : 'seal';
}
