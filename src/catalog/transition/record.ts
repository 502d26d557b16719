/** The stored record of a transition, and its public form (docs/migrations.md). */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from '../stored/frame.ts';
import { type TransitionKind, type TransitionState, transitionKinds } from './transition.ts';

export interface TransitionRecord {
  readonly id: number;
  readonly kind: TransitionKind;
  /** `ix{n}`, `column:{id}` or `ct{n}`. */
  readonly object: string;
  readonly state: TransitionState;
  /** Number of changes of this record, starting at 1. */
  readonly generation: number;
  /** Number of the current owner. A step of an earlier owner, which has another epoch, is refused. */
  readonly epoch: number;
  readonly prerequisites: readonly number[];
  readonly rowsScanned: number;
  /** The last processed key in hexadecimal digits; absent before the first key. */
  readonly cursor?: string;
  /** Only for an ended transition: the names of its table and object when it ended. Records of earlier versions do not have them. */
  readonly names?: TransitionNames;
  /** The error for which it failed, or the latest error of its worker. */
  readonly lastError?: string;
}

export interface TransitionNames {
  readonly table: string;
  readonly object: string;
}

/** The public form of a transition. */
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
  /** Current names, if the catalog still has the objects, else the names at the end of the transition. */
  readonly table?: string;
  readonly object?: string;
}

/** Returns the public form. Writers apply their changes directly, so no work is retained and the delta members are always 0. */
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

/** Returns the number of `tr{n}`; `undefined` for any other text. */
export function parseTransitionId(text: string): number | undefined {
  return /^tr[1-9]\d{0,9}$/.test(text) ? Number(text.slice(2)) : undefined;
}

export function encodeTransition(record: TransitionRecord): Uint8Array {
  return encodeFrame(record);
}

/** Decodes the record of a transition. Throws `catalog_corrupt` if it is damaged. */
export function decodeTransition(bytes: Uint8Array): TransitionRecord {
  return decodeFrame(bytes, 'a transition record', (content) => {
    const record = content as TransitionRecord;
    invariant(transitionKinds.includes(record.kind), 'a transition has a known kind');
    invariant(Number.isSafeInteger(record.generation), 'a transition has a generation');
    return record;
  });
}
