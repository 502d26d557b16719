/**
 * Of states that differ in nothing that can ever matter, the one that stands for all of them. Every step and every violation stays as it was, when
 * differences of three kinds are taken out:
 *
 * - **What nobody reads any more**: values of an opener that it has used; a manifest below a durable one, and segments that every manifest from that one on
 *   passes over, as long as nothing can vanish at rest; commits that are in the tables and in the memory of everybody for good; the epoch of a dead writer
 *   that is below whatever opens from now on; a file without a name whose writer is dead.
 * - **Which writer is which**: permuting the writers, and the bits of their commits along with them, turns steps into steps.
 * - **How numbers begin**: of the manifests of one epoch only their order counts.
 *
 * `canonical.test.ts` compares the steps of states with the steps of those that stand for them.
 */

import { commitsOf } from './outage.ts';
import type { Flag } from './setting.ts';
import {
  commitOf,
  isAbove,
  type Manifest,
  newestOf,
  noManifest,
  noSegment,
  on,
  type State,
  starting,
  type Writer,
} from './state.ts';

/** These take away that a durable manifest stays until a newer one is durable, or that an epoch is one writer's. */
const foundations: readonly Flag[] = [
  'trimFirst',
  'trimUnchecked',
  'noManifestDirSync',
  'noClaimDirSync',
  'claimBelowNames',
];

/** Changes `t`, which nobody else has. */
export function canonicalize(t: State): void {
  const isFounded = t.left.losses === 0 && !foundations.some((flag) => on(t, flag));
  t.writers = t.writers.map((writer) => withoutUsed(writer, on(t, 'manifestFirst')));
  const durable = newestOf(t.manifests.filter(({ isDurable }) => isDurable));
  if (isFounded && durable !== noManifest) {
    t.manifests = t.manifests.filter((it) => !isAbove(durable, it));
    forgetPassedOver(t);
    forgetSettled(t);
  }
  t.manifests = t.manifests.toSorted((a, b) => a.epoch - b.epoch || a.number - b.number);
  forgetFiles(t);
  forgetEpochs(t, isFounded);
  if (isFounded) renumber(t);
  t.writers = ordered(t);
}

/** Of each place in the program of a writer what it may still read. */
function withoutUsed(writer: Writer, isNamedFirst: boolean): Writer {
  const { at, epoch, carried, manifest, memory, scan, seals } = writer;
  switch (at) {
    case 'start':
      return starting;
    case 'list':
      return { ...starting, at, carried };
    case 'listed':
    case 'claim':
    case 'claimed':
    case 'load':
      return { ...starting, at, epoch };
    case 'scan':
      return {
        ...starting,
        at,
        epoch,
        manifest: { ...manifest, isDurable: true },
        memory,
        scan,
        seals,
      };
    case 'dead':
      return { ...starting, at, epoch };
    case 'closed':
      return { ...starting, at, epoch, memory };
    case 'begin':
    case 'begun':
      return isNamedFirst ? opened(writer) : unnamed(writer);
    case 'seal':
      return unnamed(writer);
    default:
      return opened(writer);
  }
}

/** Before its first manifest. */
function unnamed({ at, epoch, manifest, memory, seals }: Writer): Writer {
  return {
    ...starting,
    at,
    epoch,
    manifest: { ...noManifest, tables: manifest.tables },
    memory,
    seals,
  };
}

function opened(writer: Writer): Writer {
  const manifest = { ...writer.manifest, reach: 0, isDurable: true };
  return { ...writer, carried: 0, scan: 0, seals: {}, manifest };
}

const withoutFile: readonly Writer['at'][] = ['start', 'list', 'listed', 'claim', 'dead'];
const hasFile = ({ at }: Writer): boolean => !withoutFile.includes(at);
const hasLoaded = (writer: Writer): boolean =>
  hasFile(writer) && writer.at !== 'claimed' && writer.at !== 'load';

/** What a process with this manifest skips when it opens. */
const passesOver = ({ epoch, seals }: Manifest, segment: number): boolean =>
  segment < epoch && seals[segment] === undefined;

function forgetPassedOver(t: State): void {
  const isFirst = t.writers.some(({ at, manifest }) => at === 'scan' && manifest.epoch === 0);
  t.segments = t.segments.map((segment, n) => {
    const epoch = n + 1;
    const isRead =
      t.manifests.some((manifest) => !passesOver(manifest, epoch)) ||
      t.writers.some(
        (it) =>
          (hasFile(it) && it.epoch === epoch) ||
          // What has been read of it goes into the manifest of the reader, and into the one of its end.
          it.seals[epoch] !== undefined ||
          it.manifest.seals[epoch] !== undefined ||
          (it.at === 'scan' && it.scan <= epoch && !passesOver(it.manifest, epoch)),
      );
    if (!isRead) return noSegment;
    // Asked for only where there was no manifest.
    return isFirst || !segment.isLater ? segment : { ...segment, isLater: false };
  });
}

/** Commits that everybody has from the tables, now and whenever somebody opens. */
function forgetSettled(t: State): void {
  const loaded = t.writers.filter(hasLoaded);
  const settled = [
    ...t.manifests.map(({ tables }) => tables),
    ...loaded.flatMap(({ at, memory, manifest }) =>
      at === 'closed' ? [memory] : [memory, manifest.tables],
    ),
  ].reduce((all, some) => all & some, t.truth.acked);
  if (settled === 0) return;
  const without = (manifest: Manifest) => ({ ...manifest, tables: manifest.tables & ~settled });
  t.truth = { ...t.truth, acked: t.truth.acked & ~settled };
  t.manifests = t.manifests.map(without);
  t.writers = t.writers.map((it) =>
    hasLoaded(it) ? { ...it, memory: it.memory & ~settled, manifest: without(it.manifest) } : it,
  );
  t.segments = t.segments.map((segment) => ({
    ...segment,
    records: segment.records.map((it) => ({ ...it, commit: it.commit & ~settled })),
  }));
}

function forgetFiles(t: State): void {
  const segments = t.segments.map((segment, n) => {
    const isOpen = t.writers.some((it) => hasFile(it) && it.epoch === n + 1);
    return segment.name === 'absent' && !isOpen ? noSegment : segment;
  });
  t.segments = segments.slice(0, segments.findLastIndex((it) => it !== noSegment) + 1);
  t.epochs = t.epochs.slice(0, t.epochs.findLastIndex((name) => name !== 'absent') + 1);
}

/** A dead writer is asked for its epoch when one of its commits is found by somebody who has opened below it. */
function forgetEpochs(t: State, isFounded: boolean): void {
  const opening = t.writers.filter(hasFile).map(({ epoch }) => epoch);
  const lowest = isFounded ? Math.min(...opening, t.epochs.lastIndexOf('durable') + 2) : 0;
  const found = commitsAnywhere(t);
  t.writers = t.writers.map((it, i) => {
    if (it.at !== 'dead') return it;
    const isAsked = it.epoch >= lowest && (found & commitsOf(t, i)) !== 0;
    return isAsked ? it : { ...it, epoch: 0 };
  });
}

function commitsAnywhere(t: State): number {
  const records = t.segments.flatMap((segment) => segment.records);
  return [
    ...records.map(({ commit }) => commit),
    ...t.manifests.map(({ tables }) => tables),
    ...t.writers.flatMap(({ memory, manifest }) => [memory, manifest.tables]),
  ].reduce((all, some) => all | some, 0);
}

function renumber(t: State): void {
  const named = [...t.manifests, ...t.writers.map(({ manifest }) => manifest)];
  const lowest = (epoch: number): number =>
    Math.min(...named.filter((it) => it.epoch === epoch).map(({ number }) => number));
  const shifted = (it: Manifest): Manifest =>
    it.epoch === 0 ? it : { ...it, number: it.number - lowest(it.epoch) + 1 };
  t.manifests = t.manifests.map(shifted);
  t.writers = t.writers.map((it) => ({ ...it, manifest: shifted(it.manifest) }));
}

/** Those that have not started stay the last: they start in order. */
function ordered(t: State): Writer[] {
  const keys = t.writers.map((writer, i) => keyOf(t, writer, i));
  const order = Array.from(t.writers.keys()).sort((a, b) => compare(keys[a], keys[b]) || a - b);
  if (order.every((from, to) => from === to)) return t.writers;
  const moved = (mask: number): number => {
    if (mask === 0) return 0;
    let all = 0;
    for (const [to, from] of order.entries()) {
      for (let nth = 0; nth < t.setting.bounds.commits; nth++) {
        if ((mask & commitOf(t.setting, from, nth)) !== 0) all |= commitOf(t.setting, to, nth);
      }
    }
    return all;
  };
  const movedTables = (it: Manifest): Manifest => ({ ...it, tables: moved(it.tables) });
  t.truth = { ...t.truth, acked: moved(t.truth.acked) };
  t.manifests = t.manifests.map(movedTables);
  t.segments = t.segments.map((segment) =>
    segment === noSegment
      ? segment
      : {
          ...segment,
          records: segment.records.map((it) => ({ ...it, commit: moved(it.commit) })),
        },
  );
  return order
    .map((from) => t.writers[from] as Writer)
    .map((it) => ({ ...it, memory: moved(it.memory), manifest: movedTables(it.manifest) }));
}

/** Tells writers apart by everything but their place: also by where their commits are. */
function keyOf(t: State, writer: Writer, i: number): string {
  const { at, epoch, carried, scan, commits, flushes, seals, manifest } = writer;
  const own = commitsOf(t, i);
  const masks = [
    t.truth.acked,
    writer.memory,
    ...t.manifests.map(({ tables }) => tables),
    ...t.segments.flatMap(({ records }) => records.map(({ commit }) => commit)),
  ];
  const shift = i * t.setting.bounds.commits;
  const bits = masks.map((mask) => (mask & own) >>> shift);
  const { tables: _, ...rest } = manifest;
  return JSON.stringify([
    at === 'start',
    epoch,
    at,
    carried,
    scan,
    commits,
    flushes,
    seals,
    rest,
    bits,
  ]);
}

const compare = (a: string | undefined, b: string | undefined): number =>
  a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
