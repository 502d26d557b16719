/** Base64url without padding (RFC 7515 §2). */

/** Returns the bytes of a text that is not empty, or `undefined` if an encoder would not write this text. */
export function parseBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}
