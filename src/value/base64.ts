/** Canonical padded RFC 4648 base64: standard alphabet, no whitespace, zero trailing bits. */

/** Undefined unless `text` is exactly what encoding its bytes gives. */
export function parseBase64(text: string): Uint8Array | undefined {
  // The decoder would skip whitespace.
  if (text.length % 4 !== 0 || foreign.test(text)) return undefined;
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' });
  } catch {
    return undefined;
  }
}

export function formatBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

const foreign = /[^A-Za-z0-9+/=]/;
