/** A model as plain data, for the store and for other processes. */

import type { Log2Counts } from '#base';
import type { StatementWork } from './statement-work.ts';

export interface LearningState {
  readonly stamp: string;
  readonly misses: number;
  /** Plans are corrected with the measured rows. */
  readonly isCorrected: boolean;
  readonly seen: readonly (readonly [part: string, mean: number, count: number])[];
}

export interface PlansState {
  readonly stamp: string;
  readonly runs: readonly {
    readonly plan: string;
    readonly executions: number;
    readonly times: readonly (readonly [rowClass: number, times: Log2Counts])[];
  }[];
}

export interface ModelState {
  readonly kind: 'statement' | 'relation';
  readonly family: string;
  /** Fingerprint of the tables and columns that it reads. If they have changed meanwhile, the model is ignored. */
  readonly ground: string;
  readonly frequency: number;
  readonly executions: number;
  readonly estimated: number;
  /** Registers of a HyperLogLog sketch, as base64. */
  readonly variants: string;
  readonly rows: Log2Counts;
  readonly qError: Log2Counts;
  readonly micros: Log2Counts;
  readonly ewmaMicros: number;
  readonly plans: PlansState;
  readonly work: Readonly<Record<keyof StatementWork, Log2Counts>> | undefined;
  readonly learning: LearningState;
}
