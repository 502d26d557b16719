/** Detail of the error that a writer receives when the device is full. */
export const fullDetail =
  'the storage is full; nothing was written; free some space: writes resume without a restart';
