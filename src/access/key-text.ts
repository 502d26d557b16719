/**
 * The text of an API key: `svck_`, 12 base62 digits of its public id, `_`, 43 of its secret (256 random bits), and 6 of a CRC-32 of all before.
 * Numbers are big-endian and padded with `0`. The checksum finds typing errors without a lookup.
 */

import { crc32, type Random } from '#base';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'svck_';
const idLength = 12;
const secretLength = 43;
const secretBytes = 32;
const checksumLength = 6;
const form = /^svck_([0-9A-Za-z]{12})_[0-9A-Za-z]{49}$/;
const idForm = /^[0-9A-Za-z]{12}$/;

interface NewKey {
  readonly id: string;
  /** The whole text, which is shown once and never stored. */
  readonly text: string;
}

export function drawKey(random: Random): NewKey {
  const id = drawId(random);
  const secret = inBase62(numberOf(random.fill(new Uint8Array(secretBytes))), secretLength);
  const body = `${prefix}${id}_${secret}`;
  return { id, text: `${body}${checksumOf(body)}` };
}

/** Returns the id of a key text, or `undefined` if the form or the checksum is wrong. */
export function idOfKey(text: string): string | undefined {
  const id = form.exec(text)?.[1];
  if (id === undefined) return undefined;
  const at = text.length - checksumLength;
  return checksumOf(text.slice(0, at)) === text.slice(at) ? id : undefined;
}

/** Returns whether `text` has the form of an id. A whole key does not. */
export function isKeyId(text: string): boolean {
  return idForm.test(text);
}

/** Returns whether a secret may be in `text`, which must then not appear in a message. */
export function mayHoldKey(text: string): boolean {
  return text.toLowerCase().includes(prefix);
}

/** Returns the text with `svck_...` in place of each API key, also of a part of one. */
export function withoutKeys(text: string): string {
  return mayHoldKey(text) ? text.replaceAll(/svck_[\w-]*/gi, `${prefix}...`) : text;
}

/** Returns the SHA-256 of a whole key text, the only part of its secret that is stored. */
export function hashOfKey(text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}

/** Draws an id evenly: numbers beyond the last id are drawn again. */
function drawId(random: Random): string {
  const count = 62n ** BigInt(idLength);
  for (;;) {
    const drawn = numberOf(random.fill(new Uint8Array(9)));
    if (drawn < count) return inBase62(drawn, idLength);
  }
}

function checksumOf(text: string): string {
  return inBase62(BigInt(crc32(Buffer.from(text, 'latin1'))), checksumLength);
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytes.toHex()}`);
}

function inBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n)
    text = digits[Number(rest % 62n)] + text;
  return text;
}
