/** The durable record of a transition, and what the public sees of it (docs/migrations.md). */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from '../stored/frame.ts';
import { type TransitionKind, type TransitionState, transitionKinds } from './transition.ts';

export interface TransitionRecord {
  readonly id: number;
  readonly kind: TransitionKind;
  /** `ix{n}`, `column:{id}` or `ct{n}`. */
  readonly object: string;
  readonly state: TransitionState;
  /** Counts the changes of this record, from 1. */
  readonly generation: number;
  /** Counts the owners: a step made under another epoch is refused. */
  readonly epoch: number;
  readonly prerequisites: readonly number[];
  readonly rowsScanned: number;
  /** The last key that was worked on, in hexadecimal digits; absent before the first. */
  readonly cursor?: string;
  /** Of one that has ended: the names of its table and of what it made, as they were then. Records of earlier versions do not have them. */
  readonly names?: TransitionNames;
  /** Why it failed, or the latest trouble of its worker. */
  readonly lastError?: string;
}

export interface TransitionNames {
  readonly table: string;
  readonly object: string;
}

/** `TransitionControl`: the administrative projection. */
export interface TransitionControl {
  readonly kind: 'transition';
  readonly transition_id: string;
  readonly object_id: string;
  readonly transition_kind: TransitionKind;
  readonly state: TransitionState;
  readonly generation: number;
  readonly prerequisites: readonly string[];
  readonly retained_work_state: 'normal' | 'degraded' | 'write_gated';
  readonly last_error?: string;
  readonly rows_scanned: number;
  readonly applied_delta: number;
  readonly delta_lag: number;
  /** Names, where the catalog knows them, else as they were at the end. */
  readonly table?: string;
  readonly object?: string;
}

/** Writers apply their changes themselves, so that no work is retained: the delta members never move. */
export function transitionControl(record: TransitionRecord): TransitionControl {
  const { lastError } = record;
  return {
    kind: 'transition',
    transition_id: transitionIdText(record.id),
    object_id: record.object,
    transition_kind: record.kind,
    state: record.state,
    generation: record.generation,
    prerequisites: record.prerequisites.map(transitionIdText),
    retained_work_state: 'normal',
    ...(lastError !== undefined && { last_error: lastError }),
    rows_scanned: record.rowsScanned,
    applied_delta: 0,
    delta_lag: 0,
    ...record.names,
  };
}

export function transitionIdText(id: number): string {
  return `tr${id}`;
}

/** The number of `tr{n}`; undefined for any other text. */
export function parseTransitionId(text: string): number | undefined {
  return /^tr[1-9]\d{0,9}$/.test(text) ? Number(text.slice(2)) : undefined;
}

export function encodeTransition(record: TransitionRecord): Uint8Array {
  return encodeFrame(record);
}

/** Throws `catalog_corrupt`. */
export function decodeTransition(bytes: Uint8Array): TransitionRecord {
  return decodeFrame(bytes, 'a transition record', (content) => {
    const record = content as TransitionRecord;
    invariant(transitionKinds.includes(record.kind), 'a transition has a known kind');
    invariant(Number.isSafeInteger(record.generation), 'a transition has a generation');
    return record;
  });
}
