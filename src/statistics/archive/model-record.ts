/** The stored form of an execution model: one record per model (docs/storage-format.md, Statistics records). */

import type { Log2Counts } from '#base';
import { keySpaces, prefixRange } from '#catalog';
import type { LearningState, ModelState, PlansState } from '../feedback/model-state.ts';
import { workMembers } from '../feedback/statement-work.ts';
import { Variants } from '../sketch/variants.ts';
import { count, list, Malformed, membersOf, number, text, truth } from './members.ts';
import { jsonOf, recordOf } from './record.ts';

/** Kinds of statistics records, which are never renumbered. */
const modelKind = 0x02;
const prefix = Uint8Array.of(keySpaces.statistics, modelKind);
const digestBytes = 16;

/** Maximum size of a record. A larger model is not stored, and is empty after a restart. */
const recordBytesMax = 64 << 10;
/** Maximum number of buckets of a histogram. */
const bucketsMax = 64;

export const modelRange = prefixRange(prefix);

/** Returns the key of a family: a digest, since family texts can have any length. Collisions are practically impossible. */
export function modelKey(family: string): Uint8Array {
  const key = new Uint8Array(prefix.length + digestBytes);
  key.set(prefix);
  const digest = new Bun.CryptoHasher('sha256').update(family).digest();
  key.set(digest.subarray(0, digestBytes), prefix.length);
  return key;
}

/** Encodes a model; `undefined` if it is too large to be stored. */
export function modelValue(state: ModelState, atUnixMs: number): Uint8Array | undefined {
  const value = recordOf(atUnixMs, JSON.stringify(state));
  return value.length > recordBytesMax ? undefined : value;
}

/** Decodes a model; `undefined` if the value is not a valid model of that key. */
export function readModel(key: Uint8Array, value: Uint8Array): ModelState | undefined {
  try {
    const state = stateIn(jsonOf(value));
    return Buffer.compare(modelKey(state.family), key) === 0 ? state : undefined;
  } catch {
    return undefined;
  }
}

function stateIn(found: unknown): ModelState {
  const members = membersOf(found);
  const { kind, work } = members;
  if (kind !== 'statement' && kind !== 'relation') throw new Malformed();
  const variants = text(members['variants']);
  Variants.of(variants);
  return {
    kind,
    family: text(members['family']),
    ground: text(members['ground']),
    frequency: count(members['frequency']),
    executions: count(members['executions']),
    estimated: count(members['estimated']),
    variants,
    rows: countsIn(members['rows']),
    qError: countsIn(members['qError']),
    micros: countsIn(members['micros']),
    ewmaMicros: number(members['ewmaMicros']),
    plans: plansIn(members['plans']),
    work: work === undefined ? undefined : workIn(work),
    learning: learningIn(members['learning']),
  };
}

function workIn(found: unknown) {
  const members = membersOf(found);
  const spreads = workMembers.map((member) => [member, countsIn(members[member])] as const);
  return Object.fromEntries(spreads) as NonNullable<ModelState['work']>;
}

function countsIn(found: unknown): Log2Counts {
  const members = membersOf(found);
  const counts = list(members['counts']).map(count);
  if (counts.length > bucketsMax || counts.some((one) => one > 0xffff_ffff)) throw new Malformed();
  return { counts, maximum: number(members['maximum']) };
}

function plansIn(found: unknown): PlansState {
  const members = membersOf(found);
  const runs = list(members['runs']).map((one) => {
    const { plan, executions, times } = membersOf(one);
    return { plan: text(plan), executions: count(executions), times: list(times).map(timesIn) };
  });
  return { stamp: text(members['stamp']), runs };
}

function timesIn(found: unknown) {
  const [rowClass, times] = list(found);
  return [count(rowClass), countsIn(times)] as const;
}

function learningIn(found: unknown): LearningState {
  const members = membersOf(found);
  const seen = list(members['seen']).map((one) => {
    const [part, mean, times] = list(one);
    return [text(part), number(mean), count(times)] as const;
  });
  return {
    stamp: text(members['stamp']),
    misses: count(members['misses']),
    isCorrected: truth(members['isCorrected']),
    seen,
  };
}
