/** CRC-32 (IEEE) of byte ranges, chainable by a seed. */

export function crc32(bytes: Uint8Array, seed = 0): number {
  return Bun.hash.crc32(bytes, seed);
}
