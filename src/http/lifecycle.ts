/** The state of the process as `http` sees it. The module `server` owns the states behind it. */

import type { Engine } from '#engine';

export type LiveReason = 'live' | 'draining' | 'task_failed';
export type ReadyReason =
  | 'starting'
  | 'serving'
  | 'draining'
  | 'fenced'
  | 'storage_unavailable'
  | 'storage_stale';
export type StartupReason =
  | 'started'
  | 'starting'
  | 'storage_bucket_missing'
  | 'storage_unauthorized'
  | 'storage_unreachable';

export interface Lifecycle {
  readonly access: 'read' | 'write';
  /** The open engine, or `undefined` until startup has succeeded. */
  readonly engine: Engine | undefined;
  live(): LiveReason;
  ready(): ReadyReason;
  startup(): StartupReason;
}
