/** What clients saw of a run: transactions with what they did, what they read, how they ended, and in which order from outside. */

/** One step of a transaction; what it read is filled in when the answer has come. */
export type Step =
  | { readonly kind: 'append'; readonly key: number; readonly value: number }
  | { readonly kind: 'write'; readonly key: number; readonly value: number }
  | { readonly kind: 'read'; readonly key: number; readonly seen?: readonly number[] };

/** `unknown`: the connection broke; it may have been committed, before the break only. */
export type Outcome = 'ok' | 'failed' | 'unknown';

export interface Observed {
  readonly steps: readonly Step[];
  readonly outcome: Outcome;
  /** Positions in the one order in which the client process sent requests and received answers. */
  readonly invoked: number;
  /** Infinity when it is unknown when it ended. */
  readonly completed: number;
}

export type History = readonly Observed[];

/** Something that no serial execution in real-time order explains. */
export interface Anomaly {
  readonly name: string;
  readonly detail: string;
}

/** For messages: `T3[append 1:7, read 1:[5 7]]`. */
export function describe(history: History, index: number): string {
  const { steps } = history[index] as Observed;
  return `T${index}[${steps.map(describeStep).join(', ')}]`;
}

function describeStep(step: Step): string {
  if (step.kind !== 'read') return `${step.kind} ${step.key}:${step.value}`;
  return `read ${step.key}:[${step.seen?.join(' ') ?? '?'}]`;
}
