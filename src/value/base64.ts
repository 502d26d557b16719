/** Canonical padded RFC 4648 base64: standard alphabet, no whitespace, zero trailing bits. */

/** Undefined unless `text` is exactly what encoding its bytes gives. */
export function parseBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !alphabet.test(text)) return undefined;
  const bytes = Uint8Array.fromBase64(text);
  // Only the last group can carry stray bits.
  return formatBase64(bytes.subarray(bytes.length - 1 - ((bytes.length - 1) % 3))) ===
    text.slice(-4)
    ? bytes
    : undefined;
}

export function formatBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;
