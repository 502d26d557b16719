/** Base 32 with five bits per character. The bits that fill the last character must be zero, otherwise the text is not canonical. */

export interface Alphabet {
  readonly characters: string;
  /** The value of each ASCII code; 255 if it is not a digit. */
  readonly digits: Uint8Array;
}

export const crockford = alphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
export const hex32 = alphabet('0123456789abcdefghijklmnopqrstuv');

function alphabet(characters: string): Alphabet {
  const digits = new Uint8Array(128).fill(255);
  for (let i = 0; i < characters.length; i++) digits[characters.charCodeAt(i)] = i;
  return { characters, digits };
}

/** Encodes `bytes` after `leading` zero bits. */
export function encode32({ characters }: Alphabet, bytes: Uint8Array, leading: number): string {
  let text = '';
  let pending = 0;
  let bits = leading;
  for (let i = 0; i < bytes.length; i++) {
    pending = ((pending << 8) | (bytes[i] as number)) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += characters[(pending >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + characters[(pending << (5 - bits)) & 31];
}

/** Decodes `text`. Returns `undefined` for a character outside the alphabet, or if leading or trailing bits are not zero. */
export function decode32(
  { digits }: Alphabet,
  text: string,
  leading: number,
): Uint8Array | undefined {
  const bytes = new Uint8Array((text.length * 5 - leading) >> 3);
  let pending = 0;
  let bits = -leading;
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = digits[text.charCodeAt(i)] ?? 255;
    if (digit === 255 || (i === 0 && digit >> (5 - leading) !== 0)) return undefined;
    pending = ((pending << 5) | digit) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = pending >> bits;
  }
  return (pending & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}
