/** The state of a directory as processes see it, what of it is durable, and its writers. Groups hold one record, segments one epoch's records. */

import type { Part } from '../explore.ts';
import type { Flag, LocalSetting } from './setting.ts';

/** Of a name: not durable yet, durable, or deleted but not durably so. */
export type Name = 'absent' | 'fresh' | 'durable' | 'leaving';

/** `lost`: its sync failed; it looks written, and a later sync does nothing. `torn`: its checksum does not match. */
export interface Record {
  readonly commit: number;
  readonly is: 'written' | 'synced' | 'lost' | 'torn';
}

export interface Segment {
  readonly name: Name;
  readonly records: readonly Record[];
  /** Its header says that records came before it. */
  readonly isLater: boolean;
}

/** Sets of commits are bit masks. `seals`: how many records of each earlier epoch count. `reach`: how many of its own were durable; -1: closed. */
export interface Manifest {
  readonly epoch: number;
  readonly number: number;
  readonly tables: number;
  readonly seals: { readonly [epoch: number]: number };
  readonly reach: number;
  readonly isDurable: boolean;
}

export interface Writer {
  at:
    | 'start'
    | 'list'
    | 'listed'
    | 'claim'
    | 'claimed'
    | 'load'
    | 'scan'
    | 'seal'
    | 'sealed'
    | 'begin'
    | 'begun'
    | 'settle'
    | 'run'
    | 'write'
    | 'sync'
    | 'check'
    | 'ack'
    | 'publish'
    | 'published'
    | 'confirm'
    | 'trim'
    | 'closed'
    | 'dead';
  epoch: number;
  /** The highest epoch that a name carried. */
  carried: number;
  /** The newest manifest, of which the next one is made. */
  manifest: Manifest;
  /** Commits recovered or written; and which epoch is read next. */
  memory: number;
  scan: number;
  seals: { readonly [epoch: number]: number };
  commits: number;
  flushes: number;
}

export interface Truth {
  readonly acked: number;
  readonly wrong: string;
}

export interface State {
  readonly setting: LocalSetting;
  /** By epoch, from 1 at index 0. */
  epochs: readonly Name[];
  segments: readonly Segment[];
  /** In the order of writing. */
  manifests: readonly Manifest[];
  left: { readonly outages: number; readonly failures: number; readonly losses: number };
  truth: Truth;
  writers: Writer[];
}

export type Change = (t: State, me: Writer) => void;
export type Act = (label: string, change: Change) => void;

export const noSegment: Segment = { name: 'absent', records: [], isLater: false };
export const noManifest: Manifest = {
  epoch: 0,
  number: 0,
  tables: 0,
  seals: {},
  reach: 0,
  isDurable: true,
};
export const starting: Writer = {
  at: 'start',
  epoch: 0,
  carried: 0,
  manifest: noManifest,
  memory: 0,
  scan: 0,
  seals: {},
  commits: 0,
  flushes: 0,
};

export const on = ({ setting }: State, flag: Flag): boolean => setting.flags.has(flag);
export const isThere = (name: Name | undefined): boolean => name === 'fresh' || name === 'durable';
export const segmentOf = (s: State, epoch: number): Segment => s.segments[epoch - 1] ?? noSegment;
/** A writer's commits have bits of their own. */
export const commitOf = (setting: LocalSetting, writer: number, nth: number): number =>
  1 << (writer * setting.bounds.commits + nth);

export function withSegment(t: State, epoch: number, segment: Segment): void {
  const segments = [...t.segments];
  while (segments.length < epoch) segments.push(noSegment);
  segments[epoch - 1] = segment;
  t.segments = segments;
}

export function highestClaim(s: State): number {
  return s.epochs.findLastIndex(isThere) + 1;
}

/** The epoch counts first, then the number. */
export const isAbove = (a: Manifest, b: Manifest): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.number > b.number);

/** The newest of `manifests`. */
export function newestOf(manifests: readonly Manifest[]): Manifest {
  return manifests.reduce((best, it) => (isAbove(it, best) ? it : best), noManifest);
}

export function initialState(setting: LocalSetting): State {
  const { writers, outages, failures, losses } = setting.bounds;
  return {
    setting,
    epochs: [],
    segments: [],
    manifests: [],
    left: { outages, failures, losses },
    truth: { acked: 0, wrong: '' },
    writers: Array.from({ length: writers }, () => starting),
  };
}

export function partsOf(s: State): readonly Part[] {
  return [s.epochs, s.segments, s.manifests, s.left, s.truth, ...s.writers];
}

export function stateOf(setting: LocalSetting, parts: readonly Part[]): State {
  const [epochs, segments, manifests, left, truth, ...writers] = parts;
  return { setting, epochs, segments, manifests, left, truth, writers } as State;
}
