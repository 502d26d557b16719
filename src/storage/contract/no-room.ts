/** What a writer is told when the device has no room. */
export const fullDetail =
  'the storage has no room left, so nothing was written: free some, and writes are taken again without a restart';
