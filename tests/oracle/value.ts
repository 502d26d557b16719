/**
 * Values of the oracle: int64 is always a bigint and float64 always a number, so that no value needs its type to be understood.
 * Order, identity and the wire text follow docs/lir.md §2 and §12.
 */

export class Bytes {
  readonly data: Uint8Array;
  readonly format: string | undefined;

  constructor(data: Uint8Array, format?: string) {
    this.data = data;
    this.format = format;
  }
}

export class RowValue {
  readonly names: readonly string[];
  readonly values: readonly Value[];

  constructor(names: readonly string[], values: readonly Value[]) {
    this.names = names;
    this.values = values;
  }
}

export class ArrayValue {
  readonly rows: readonly RowValue[];

  constructor(rows: readonly RowValue[]) {
    this.rows = rows;
  }
}

export type Value = null | string | bigint | number | boolean | Bytes | RowValue | ArrayValue;

/** NULL first; both sides of one type. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (a instanceof Bytes) return Buffer.compare(a.data, (b as Bytes).data);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Equal texts exactly for identical values. */
export function identityOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return `f${value === 0 ? 0 : value}`;
  if (typeof value === 'bigint') return `i${value}`;
  if (typeof value === 'string') return `t${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `b${value}`;
  if (value instanceof Bytes) return `x${Buffer.from(value.data).toString('hex')}`;
  if (value instanceof ArrayValue) return `[${value.rows.map(identityOf).join()}]`;
  return `{${value.names.map((name, i) => `${JSON.stringify(name)}:${identityOf(value.values[i] as Value)}`).join()}}`;
}

export function rowIdentity(row: readonly Value[]): string {
  return row.map(identityOf).join('|');
}

/** The wire text. */
export function encode(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return encodeFloat(value);
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (value instanceof Bytes) return JSON.stringify(encodeBytes(value));
  if (value instanceof ArrayValue) return `[${value.rows.map(encode).join()}]`;
  return `{${value.names.map((name, i) => `${JSON.stringify(name)}:${encode(value.values[i] as Value)}`).join()}}`;
}

/** Shortest digits; plain for decimal exponents from -5 to 15, which is where the notation is ours to choose. */
function encodeFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  if (value !== 0 && (Number(exponent) < -5 || Number(exponent) > 15)) {
    return `${digits}e${Number(exponent)}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

function encodeBytes({ data, format }: Bytes): string {
  const hex = Buffer.from(data).toString('hex');
  switch (format) {
    case 'uuid':
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    case 'ulid':
      return digits(data, 128, 26, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'high');
    case 'xid':
      return digits(data, 96, 20, '0123456789abcdefghijklmnopqrstuv', 'low');
    default:
      return Buffer.from(data).toString('base64');
  }
}

/** Base 32 of `bits` bits in `count` digits; the spare bits are zeros at the high or at the low end. */
function digits(
  data: Uint8Array,
  bits: number,
  count: number,
  alphabet: string,
  spare: 'high' | 'low',
): string {
  const number = BigInt(`0x${Buffer.from(data).toString('hex')}`);
  let rest = spare === 'high' ? number : number << BigInt(count * 5 - bits);
  let text = '';
  for (let i = 0; i < count; i++) {
    text = alphabet[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return text;
}

/** Identifier text to bytes; undefined when it is not canonical. */
export function parseIdentifier(format: string, text: string): Uint8Array | undefined {
  const size = format === 'xid' ? 12 : 16;
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let number = 0n;
  if (format === 'uuid') {
    if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)) return undefined;
    number = BigInt(`0x${text.replaceAll('-', '')}`);
  } else {
    const used = format === 'ulid' ? alphabet : '0123456789abcdefghijklmnopqrstuv';
    for (const digit of text) number = number * 32n + BigInt(Math.max(0, used.indexOf(digit)));
    if (format === 'xid') number >>= 4n;
  }
  const data = new Uint8Array(Buffer.from(number.toString(16).padStart(size * 2, '0'), 'hex'));
  if (data.length !== size) return undefined;
  return encodeBytes(new Bytes(data, format)) === text ? data : undefined;
}
