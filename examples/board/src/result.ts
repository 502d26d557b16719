/** What running a query gives. */

import type { Runnable } from './db/svc-runtime.gen.ts';

export type Result<Q> = Q extends Runnable<infer T> ? T : never;
