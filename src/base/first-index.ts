/** A binary search for code that is not hot. Searches in blocks, memtables and batches have their own loops. */

/**
 * Returns the first index in [from, to) at which `holds` is true; `to` if there is none. `holds` must be false below some index and true
 * from it on.
 */
export function firstIndex(from: number, to: number, holds: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
