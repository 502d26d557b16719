/** Identifiers as canonical text, and as the bytes that the server keeps. */

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const lowHex = '0123456789abcdefghijklmnopqrstuv';

const forms = {
  u: [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 16],
  l: [/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i, 16],
  d: [/^[0-9a-v]{19}[0g]$/, 12],
} as const;

export type IdCode = keyof typeof forms;

/** Undefined for what is no such identifier. */
export function bytesOfId(code: IdCode, text: string): Uint8Array | undefined {
  const [form, length] = forms[code];
  if (!form.test(text)) return undefined;
  const bytes = new Uint8Array(length);
  if (code === 'u') {
    const hex = text.replace(/-/g, '');
    for (let i = 0; i < length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  }
  const digits = code === 'l' ? text.toUpperCase() : text;
  const alphabet = code === 'l' ? crockford : lowHex;
  let bits = 0n;
  for (const digit of digits) bits = (bits << 5n) | BigInt(alphabet.indexOf(digit));
  if (code === 'd') bits >>= 4n;
  for (let i = length - 1; i >= 0; i--, bits >>= 8n) bytes[i] = Number(bits & 255n);
  return bytes;
}

/** The canonical text of as many bytes as the identifier has. */
export function idOfBytes(code: IdCode, bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  if (code === 'u') return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  let bits = BigInt(`0x${hex}`) << (code === 'd' ? 4n : 0n);
  let text = '';
  const [alphabet, count] = code === 'l' ? [crockford, 26] : [lowHex, 20];
  for (let i = 0; i < count; i++, bits >>= 5n) text = alphabet[Number(bits & 31n)] + text;
  return text;
}

/** Characters that base64 of such an identifier has; its canonical text never has as many. */
export function base64Length(code: IdCode): number {
  return forms[code][1] / 3 === 4 ? 16 : 24;
}
