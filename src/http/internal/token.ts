/** The token that processes on the same database share, compared without telling how much of it is right. */

import { timingSafeEqual } from 'node:crypto';

/** Whether the value of an `Authorization` header carries the token. */
export function tokenCheck(token: string): (header: string | null) => boolean {
  const expected = hashOf(token);
  return (header) => {
    const found = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    return timingSafeEqual(hashOf(found ?? ''), expected) && found !== undefined;
  };
}

/** Of the same length for every text. */
function hashOf(text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}
