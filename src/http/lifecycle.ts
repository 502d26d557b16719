/** The state of the process as `http` sees it. The module `server` owns the states behind it. */

import type { Engine } from '#engine';

export type LiveReason = 'live' | 'draining' | 'task_failed';
export type ReadyReason =
  | 'starting'
  | 'serving'
  | 'draining'
  | 'fenced'
  | 'authentication_required'
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
  /** The reason for which clients may not use the open database, or absent. With it, `engine` is `undefined`. */
  readonly refusal?: string | undefined;
  live(): LiveReason;
  ready(): ReadyReason;
  startup(): StartupReason;
}
