/**
 * A blocked Bloom filter: all probes of a key are in one line of 64 bytes, so that a lookup costs
 * one cache miss.
 *
 * The first half of the hash selects the line. The second half selects the start and the step of
 * the probes within it.
 */

const lineBytes = 64;
const lineBits = lineBytes * 8;

function filterBytes(keys: number, bitsPerKey: number): number {
  return Math.max(1, Math.ceil((keys * bitsPerKey) / lineBits)) * lineBytes;
}

/** Returns the number of probes that suits `bitsPerKey`. */
export function probesFor(bitsPerKey: number): number {
  return Math.max(1, Math.min(16, Math.round(bitsPerKey * 0.6)));
}

/** Builds a filter. `hashes` contains the two halves of the hash of each key in order. */
export function buildFilter(
  hashes: Uint32Array,
  keys: number,
  bitsPerKey: number,
): Uint8Array<ArrayBuffer> {
  const filter = new Uint8Array(filterBytes(keys, bitsPerKey));
  const probes = probesFor(bitsPerKey);
  for (let key = 0; key < keys; key++) {
    const line = lineOf(hashes[2 * key] as number, filter.length);
    const second = hashes[2 * key + 1] as number;
    const step = stepOf(second);
    let bit = second & (lineBits - 1);
    for (let i = 0; i < probes; i++) {
      const at = line + (bit >>> 3);
      filter[at] = (filter[at] as number) | (1 << (bit & 7));
      bit = (bit + step) & (lineBits - 1);
    }
  }
  return filter;
}

/** Returns false if no key with this hash was added. The filter is `bytes[from, from + length)`. */
export function mayContain(
  filter: { readonly bytes: Uint8Array; readonly from: number; readonly length: number },
  probes: number,
  first: number,
  second: number,
): boolean {
  const { bytes } = filter;
  const line = filter.from + lineOf(first, filter.length);
  const step = stepOf(second);
  let bit = second & (lineBits - 1);
  for (let i = 0; i < probes; i++) {
    if ((((bytes[line + (bit >>> 3)] as number) >>> (bit & 7)) & 1) === 0) return false;
    bit = (bit + step) & (lineBits - 1);
  }
  return true;
}

function lineOf(first: number, length: number): number {
  return Math.floor((first / 0x1_0000_0000) * (length / lineBytes)) * lineBytes;
}

/** Returns an odd step, so that the probes of a key are different bits. */
function stepOf(second: number): number {
  return ((second >>> 9) & (lineBits - 1)) | 1;
}
