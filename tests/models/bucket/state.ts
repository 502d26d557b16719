/** The state of a bucket, its network and its users. The nonce of an object is `by`, its writer: no writer sends two bodies to one key. */

import type { Part } from '../explore.ts';
import type { BucketSetting, Flag } from './setting.ts';

/** Sets of commits are bit masks. The epoch is part of a table's name; no name is used twice. */
export interface Table {
  readonly id: number;
  readonly epoch: number;
  readonly commits: number;
}

/** `boundary`: the log up to this id is in the tables. */
export interface Contents {
  readonly boundary: number;
  readonly tables: readonly Table[];
}

export interface Manifest extends Contents {
  readonly by: number;
  readonly epoch: number;
}

/** A fence has commit 0. */
export interface LogObject {
  readonly by: number;
  readonly epoch: number;
  readonly commit: number;
}

export interface Bodies {
  readonly manifest: Manifest;
  readonly wal: LogObject;
  readonly table: Table;
  readonly pin: number;
}

export type Kind = keyof Bodies;

export type Objects = { readonly [K in Kind]: Readonly<Record<number, Bodies[K]>> };

/** A PUT (If-None-Match: *, except for pins) or, without a body, a DELETE. */
export interface Request {
  readonly kind: Kind;
  readonly id: number;
  readonly body?: Bodies[Kind];
}

export interface Writer {
  /** Opens, then publishes. With `?`, a PUT whose answer did not come or was no 200. */
  main:
    | 'idle'
    | 'list'
    | 'get'
    | 'claim'
    | 'claim?'
    | 'claimed'
    | 'replay'
    | 'fence'
    | 'fence?'
    | 'check'
    | 'open'
    | 'publish'
    | 'publish?'
    | 'confirm'
    | 'closing'
    | 'lost';
  /** Commits, side by side with `main`. */
  log: 'off' | 'append' | 'append?' | 'ack' | 'close' | 'close?';
  /** The manifest that this writer builds on; then its epoch, boundary and tables. */
  base: number;
  epoch: number;
  boundary: number;
  tables: readonly Table[];
  /** The log is read or written up to here. */
  last: number;
  /** Commits recovered or written. */
  memory: number;
  /** Being published. */
  next: Contents | null;
  /** Acknowledged so far. */
  commits: number;
  /** Begun so far. */
  publishes: number;
  /** Tables, and the manifest that dropped each. */
  trash: readonly { readonly id: number; readonly since: number }[];
  /** For sweepLooksAgain. */
  suspects: readonly Table[];
  /** For pinsFirst. */
  pins: number;
}

export interface Reader {
  at: 'list' | 'get' | 'pin' | 'check' | 'reading' | 'done';
  attempt: number;
  manifest: number;
  body: Manifest | null;
}

/** Names that some GC will delete, whatever happens meanwhile: now, later, twice. */
export interface Doomed {
  readonly manifestsBelow: number;
  readonly wal: readonly number[];
}

/** What no process knows. `chain`: who made manifest 1, 2, … when that id was the next. */
export interface Truth {
  readonly chain: readonly number[];
  readonly acked: number;
  readonly wrong: string;
}

export interface State {
  readonly setting: BucketSetting;
  store: Objects;
  net: readonly Request[];
  doomed: Doomed;
  truth: Truth;
  writers: Writer[];
  readers: Reader[];
}

export type Change<Actor> = (t: State, me: Actor) => void;
/** Adds a step of one actor. */
export type Act<Actor> = (label: string, change: Change<Actor>) => void;
/** Adds a step of nobody in particular. */
export type Do = (label: string, change: (t: State) => void) => void;

export const noManifest: Manifest = { by: -1, epoch: 0, boundary: 0, tables: [] };
export const noPin = 1000;
export const idle: Writer = {
  main: 'idle',
  log: 'off',
  base: 0,
  epoch: 0,
  boundary: 0,
  tables: [],
  last: 0,
  memory: 0,
  next: null,
  commits: 0,
  publishes: 0,
  trash: [],
  suspects: [],
  pins: noPin,
};

export const on = ({ setting }: State, flag: Flag): boolean => setting.flags.has(flag);
export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
export const idsOf = (objects: object): number[] => Object.keys(objects).map(Number);
export const has = (items: readonly { readonly id: number }[], id: number): boolean =>
  items.some((item) => item.id === id);
export const union = (tables: readonly Table[]): number =>
  tables.reduce((all, table) => all | table.commits, 0);
export const newest = (s: State): number => Math.max(0, ...idsOf(s.store.manifest));
export const lowestPin = (s: State): number => Math.min(noPin, ...Object.values(s.store.pin));

/** Acknowledged before the model starts. */
export const preloaded = ({ bounds }: BucketSetting): number => bounds.tables + bounds.log;
export const commitOf = (setting: BucketSetting, writer: number, nth: number): number =>
  1 << (preloaded(setting) + writer * setting.bounds.commits + nth);

/** An empty bucket, or writer 0 at work, its own fence below the log. */
export function initialState(setting: BucketSetting): State {
  const { bounds } = setting;
  const acked = (1 << preloaded(setting)) - 1;
  const empty: State = {
    setting,
    store: { manifest: {}, wal: {}, table: {}, pin: {} },
    net: [],
    doomed: { manifestsBelow: 0, wal: [] },
    truth: { chain: [], acked, wrong: '' },
    writers: range(bounds.writers).map(() => idle),
    readers: range(bounds.readers).map(() => ({ at: 'list', attempt: 0, manifest: 0, body: null })),
  };
  if (preloaded(setting) === 0) return empty;
  const tables = range(bounds.tables).map((id) => ({ id, epoch: 1, commits: 1 << id }));
  const records = range(bounds.log).map((n) => [n + 1, loggedAtStart(setting, n)] as const);
  const running: Writer = {
    ...idle,
    main: 'open',
    log: 'append',
    base: 1,
    epoch: 1,
    tables,
    last: bounds.log,
    memory: acked,
  };
  return {
    ...empty,
    store: {
      manifest: { 1: { by: 0, epoch: 1, boundary: 0, tables } },
      wal: Object.fromEntries(records),
      table: Object.fromEntries(tables.map((table) => [table.id, table])),
      pin: {},
    },
    truth: { chain: [0], acked, wrong: '' },
    writers: [running, ...empty.writers.slice(1)],
  };
}

function loggedAtStart({ bounds }: BucketSetting, nth: number): LogObject {
  return { by: 0, epoch: 1, commit: 1 << (bounds.tables + nth) };
}

export function partsOf(s: State): readonly Part[] {
  const { manifest, wal, table, pin } = s.store;
  return [manifest, wal, table, pin, s.net, s.doomed, s.truth, ...s.writers, ...s.readers];
}

export function stateOf(setting: BucketSetting, parts: readonly Part[]): State {
  const [manifest, wal, table, pin, net, doomed, truth, ...actors] = parts;
  const { writers } = setting.bounds;
  return {
    setting,
    store: { manifest, wal, table, pin },
    net,
    doomed,
    truth,
    writers: actors.slice(0, writers),
    readers: actors.slice(writers),
  } as State;
}
