/**
 * A store in a bucket, checked state by state: every interleaving of a few writers, their collectors and readers over a bad network, one request
 * a step. A stall, anywhere and for any time, is an interleaving; a crash is a stall for ever. O1, P2, … are the steps of docs/bucket-protocol.md.
 */

import type { Model, Part, Step } from '../explore.ts';
import { deletionSteps, gcSteps } from './collecting.ts';
import { networkSteps } from './network.ts';
import { openingSteps } from './opening.ts';
import { readerSteps } from './reading.ts';
import type { BucketSetting } from './setting.ts';
import {
  type Act,
  commitOf,
  type Do,
  initialState,
  newest,
  noManifest,
  partsOf,
  preloaded,
  type Reader,
  range,
  type State,
  stateOf,
  type Table,
  union,
  type Writer,
} from './state.ts';
import { commitSteps, publishingSteps } from './writing.ts';

const stepsOfWriter = [openingSteps, commitSteps, publishingSteps, gcSteps];

export function bucketModel(setting: BucketSetting): Model {
  return {
    initial: partsOf(initialState(setting)),
    successors: (parts) => successors(setting, parts),
    violation: (parts) => violation(stateOf(setting, parts)),
  };
}

function successors(setting: BucketSetting, parts: readonly Part[]): readonly Step[] {
  const s = stateOf(setting, parts);
  const steps: Step[] = [];
  const step: Do = (label, change) => {
    const t = stateOf(setting, parts);
    change(t);
    steps.push({ label, parts: partsOf(t) });
  };
  networkSteps(s, step);
  deletionSteps(s, step);
  for (const i of s.writers.keys()) {
    const act: Act<Writer> = (label, change) =>
      step(`writer ${i} ${label}`, (t) => {
        const me = { ...(t.writers[i] as Writer) };
        t.writers[i] = me;
        change(t, me);
      });
    for (const stepsOf of stepsOfWriter) stepsOf(s, i, act);
  }
  for (const i of s.readers.keys()) {
    readerSteps(s, i, (label, change) =>
      step(`reader ${i} ${label}`, (t) => {
        const me = { ...(t.readers[i] as Reader) };
        t.readers[i] = me;
        change(t, me);
      }),
    );
  }
  return steps;
}

function violation(s: State): string {
  if (s.truth.wrong !== '') return s.truth.wrong;
  return lostCommit(s) || unknownCommit(s) || wrongReader(s);
}

const isMissing = (s: State, table: Table): boolean => s.store.table[table.id] === undefined;

function lostCommit(s: State): string {
  const { boundary, tables } = s.store.manifest[newest(s)] ?? noManifest;
  if (tables.some((table) => isMissing(s, table))) return 'a table of the newest manifest is gone';
  let recovered = union(tables);
  for (let id = boundary + 1; s.store.wal[id] !== undefined; id++) {
    recovered |= s.store.wal[id]?.commit ?? 0;
  }
  return (s.truth.acked & ~recovered) === 0 ? '' : 'an acknowledged commit is lost';
}

function unknownCommit(s: State): string {
  for (const older of s.writers.keys()) {
    for (const open of s.writers) {
      if (open.log === 'off' || (s.writers[older]?.epoch ?? 0) >= open.epoch) continue;
      if ((s.truth.acked & commitsOf(s.setting, older) & ~open.memory) !== 0) {
        return 'an older epoch acknowledged a commit that an open writer did not recover';
      }
    }
  }
  return '';
}

function wrongReader(s: State): string {
  for (const { at, body, manifest } of s.readers) {
    if (at !== 'reading' || body === null) continue;
    if (s.truth.chain[manifest - 1] !== body.by) return 'a reader has a manifest outside the chain';
    if (body.tables.some((table) => isMissing(s, table))) {
      return 'a table that a pinned reader needs is gone';
    }
  }
  return '';
}

function commitsOf(setting: BucketSetting, writer: number): number {
  const before = writer === 0 ? (1 << preloaded(setting)) - 1 : 0;
  return range(setting.bounds.commits).reduce(
    (all, nth) => all | commitOf(setting, writer, nth),
    before,
  );
}
