/** CRC-32 (IEEE) of byte ranges. The result for one range can be the seed for the next. */

export function crc32(bytes: Uint8Array, seed = 0): number {
  return Bun.hash.crc32(bytes, seed);
}
