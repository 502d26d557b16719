/** One binary search for places that are not hot: searches in blocks, memtables and batches have loops of their own. */

/** The first index in [from, to) at which `holds`, which is false up to some index and true from there on; `to` when there is none. */
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
