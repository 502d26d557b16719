/** Checks the token that processes on the same database share, in constant time. */

import { timingSafeEqual } from 'node:crypto';

/** Returns a function that checks whether an `Authorization` header contains the token. */
export function tokenCheck(token: string): (header: string | null) => boolean {
  const expected = hashOf(token);
  return (header) => {
    const found = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    return timingSafeEqual(hashOf(found ?? ''), expected) && found !== undefined;
  };
}

/** Hashes a text, so that all compared values have the same length. */
function hashOf(text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}
