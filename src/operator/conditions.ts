/** Builds the conditions in the status of a database, each with the time of its last transition. */

import type { Clock } from '#base';
import type { Condition, DatabaseResource } from './resource.ts';

type Aspect =
  | 'ClaimsAccepted'
  | 'CredentialsReady'
  | 'AuthenticationReady'
  | 'WorkloadReady'
  | 'RouteReady';

export interface Verdict {
  readonly isTrue: boolean;
  /** A reason in one word. */
  readonly reason: string;
  readonly message: string;
}

export const yes = (reason: string, message: string): Verdict => ({
  isTrue: true,
  reason,
  message,
});
export const no = (reason: string, message: string): Verdict => ({
  isTrue: false,
  reason,
  message,
});

export type Verdicts = Readonly<Record<Aspect, Verdict>>;

const order: readonly Aspect[] = [
  'ClaimsAccepted',
  'CredentialsReady',
  'AuthenticationReady',
  'WorkloadReady',
  'RouteReady',
];

export function conditionsOf(
  database: DatabaseResource,
  verdicts: Verdicts,
  clock: Clock,
): Condition[] {
  const missing = order.filter((aspect) => !verdicts[aspect].isTrue);
  const [first] = missing;
  const whole: Verdict =
    first === undefined
      ? { isTrue: true, reason: 'Ready', message: 'the database is ready for requests' }
      : { isTrue: false, reason: verdicts[first].reason, message: verdicts[first].message };
  const known = database.status?.conditions ?? [];
  const now = new Date(clock.unixMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  return [...order.map((type) => ({ type, ...verdicts[type] })), { type: 'Ready', ...whole }].map(
    ({ type, isTrue, reason, message }) => {
      const status = isTrue ? 'True' : 'False';
      const before = known.find((condition) => condition.type === type);
      const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
      const { generation: observedGeneration } = database.metadata;
      return { type, status, reason, message, lastTransitionTime, observedGeneration };
    },
  );
}
