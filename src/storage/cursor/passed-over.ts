/** Limits how many invisible entries a cursor skips without a yield, since a range may consist of tombstones only. */

import type { Pending } from '#base';

/** Maximum number of entries that a cursor skips between two yields. */
export const passedMax = 4096;

/**
 * Returned by a cursor that yields. The promise is already resolved, so awaiting it lets only microtasks run. A budget continues within its time
 * slice. Every other caller passes it to `until` of the view, which lets an iteration of the event loop pass.
 */
export const passedOver: Pending = Promise.resolve();
