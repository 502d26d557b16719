/** Entries that no reader sees are passed over many at a time, not all at once: a range may hold nothing but deletions. */

import type { Pending } from '#base';

/** A cursor passes over so many in one go. */
export const passedMax = 4096;

/** What a cursor answers then: there is nothing to wait for, but others may have their turn before it is asked again. */
export const passedOver: Pending = Promise.resolve();
