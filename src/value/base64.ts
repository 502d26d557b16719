/** Canonical padded base64 (RFC 4648): standard alphabet, no whitespace, zero trailing bits. */

/** Returns whether `text` is canonical base64. Does the check of `parseBase64` without decoding. */
export function isBase64(text: string): boolean {
  const { length } = text;
  if (length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (foreign.test(padding === 0 ? text : text.slice(0, length - padding))) return false;
  return (
    padding === 0 ||
    withoutBits[padding - 1]?.includes(text[length - padding - 1] as string) === true
  );
}

/**
 * Digits that can precede one padding character, whose last two bits are zero, and two padding characters, whose last four bits are zero.
 */
const withoutBits = ['AEIMQUYcgkosw048', 'AQgw'];

/** Decodes `text`; returns `undefined` if it is not canonical base64. */
export function parseBase64(text: string): Uint8Array | undefined {
  return isBase64(text) ? Uint8Array.fromBase64(text) : undefined;
}

export function formatBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

const foreign = /[^A-Za-z0-9+/]/;
