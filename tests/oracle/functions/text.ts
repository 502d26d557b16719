/** Functions of text, as lists of characters. */

import { createHash } from 'node:crypto';
import { failed } from '../problem.ts';
import { Bytes } from '../value.ts';
import { row } from './row.ts';

type Characters = readonly string[];

/** A row whose first text is a list of characters. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the arguments are data here
function rowOf(signature: string, value: (characters: Characters, ...rest: any[]) => string) {
  return row(signature, (text: string, ...rest) => value([...text], ...rest));
}

const iotas = new Map([...'ᾳῃῳ'].map((small, i) => [small, 'ᾼῌῼ'[i] as string]));

function upperOf(character: string): string {
  const [from, to] = ['ᾀ', 'ᾯ'].map((end) => end.charCodeAt(0)) as [number, number];
  const unit = character.charCodeAt(0);
  if (unit >= from && unit <= to) return String.fromCharCode(unit | 8);
  const upper = iotas.get(character) ?? character.toUpperCase();
  return [...upper].length === 1 ? upper : character;
}

function lowerOf(character: string): string {
  return character === 'İ' ? 'i' : character.toLowerCase();
}

function capitals(characters: Characters): string {
  let wasInWord = false;
  return characters
    .map((character) => {
      const changed = wasInWord ? lowerOf(character) : upperOf(character);
      wasInWord = /[\p{Alphabetic}\p{Nd}]/u.test(character);
      return wasInWord ? changed : character;
    })
    .join('');
}

function textOfFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 15) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function textOfBytes({ data, format }: Bytes): string {
  const hex = Buffer.from(data).toString('hex');
  if (format !== 'uuid' || data.length !== 16) return `\\x${hex}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The members at positions from `from` on, counted from 1. */
function part<T>(members: readonly T[], from: bigint, count?: bigint): T[] {
  if (count !== undefined && count < 0n) throw failed('invalid_argument');
  return members.filter((_, i) => {
    const at = BigInt(i) + 1n;
    return at >= from && (count === undefined || at < from + count);
  });
}

function trimmed(characters: Characters, set: string, ends: string): string {
  const isKept = characters.map((character) => ![...set].includes(character));
  const first = ends.includes('l') ? isKept.indexOf(true) : 0;
  const last = ends.includes('r') ? isKept.lastIndexOf(true) : characters.length - 1;
  return isKept.includes(true) || first === 0 ? characters.slice(first, last + 1).join('') : '';
}

function trims(ends: string) {
  return [
    rowOf('text > text', (characters) => trimmed(characters, ' ', ends)),
    rowOf('text text > text', (characters, set) => trimmed(characters, set, ends)),
  ];
}

const unitsMax = 1n << 24n;

function notTooLong(units: bigint): void {
  if (units > unitsMax) throw failed('memory_limit');
}

function repeated(text: string, count: bigint): string {
  if (count <= 0n || text === '') return '';
  notTooLong(BigInt(text.length) * count);
  return text.repeat(Number(count));
}

function padded(characters: Characters, length: bigint, fill: string, side: 'l' | 'r'): string {
  if (length <= BigInt(characters.length) || fill === '') {
    return characters.filter((_, i) => BigInt(i) < length).join('');
  }
  notTooLong(length);
  const filling = [...fill];
  const missing = Number(length) - characters.length;
  const padding = Array.from({ length: missing }, (_, i) => filling[i % filling.length]);
  const all = side === 'l' ? [...padding, ...characters] : [...characters, ...padding];
  notTooLong(BigInt(all.join('').length));
  return all.join('');
}

function pads(side: 'l' | 'r') {
  return [
    rowOf('text int64 > text', (characters, length) => padded(characters, length, ' ', side)),
    rowOf('text int64 text > text', (characters, length, fill) =>
      padded(characters, length, fill, side),
    ),
  ];
}

function splitPart(text: string, delimiter: string, at: bigint): string {
  if (at === 0n) throw failed('invalid_argument');
  const parts: string[] = [];
  let rest = text;
  for (let end = 0; delimiter !== '' && end >= 0; ) {
    end = rest.indexOf(delimiter);
    if (end >= 0) parts.push(rest.slice(0, end));
    if (end >= 0) rest = rest.slice(end + delimiter.length);
  }
  parts.push(rest);
  return parts.at(Number(at > 0n ? at - 1n : at)) ?? '';
}

function encoded({ data }: Bytes, format: string): string {
  switch (format.toLowerCase()) {
    case 'hex':
      return Buffer.from(data).toString('hex');
    case 'base64': {
      const digits = Buffer.from(data).toString('base64');
      const lines = Array.from({ length: Math.ceil(digits.length / 76) }, (_, i) =>
        digits.slice(i * 76, i * 76 + 76),
      );
      return lines.join('\n');
    }
    case 'escape':
      return [...data]
        .map((byte) => {
          if (byte === 92) return '\\\\';
          const octal = `\\${byte.toString(8).padStart(3, '0')}`;
          return byte === 0 || byte > 127 ? octal : String.fromCharCode(byte);
        })
        .join('');
    default:
      throw failed('invalid_argument');
  }
}

function decoded(text: string, format: string): Bytes {
  const solid = text.replaceAll(/[ \n\r\t]/g, '');
  switch (format.toLowerCase()) {
    case 'hex':
      if (!/^([0-9a-f]{2})*$/i.test(solid)) throw failed('invalid_text');
      return new Bytes(new Uint8Array(Buffer.from(solid, 'hex')));
    case 'base64':
      if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(solid)) {
        throw failed('invalid_text');
      }
      return new Bytes(new Uint8Array(Buffer.from(solid, 'base64')));
    case 'escape': {
      const bytes: number[] = [];
      for (let rest = Buffer.from(text); rest.length > 0; ) {
        const code = /^\\(?:\\|([0-3][0-7][0-7]))/.exec(rest.toString('latin1'));
        if (rest[0] === 92 && code === null) throw failed('invalid_text');
        bytes.push(code?.[1] === undefined ? (rest[0] as number) : Number.parseInt(code[1], 8));
        rest = rest.subarray(code?.[0].length ?? 1);
      }
      return new Bytes(Uint8Array.from(bytes));
    }
    default:
      throw failed('invalid_argument');
  }
}

function characterOf(code: bigint): string {
  const isSurrogate = code >= 0xd800n && code < 0xe000n;
  if (code < 1n || code > 0x10ffffn || isSurrogate) throw failed('invalid_argument');
  return String.fromCodePoint(Number(code));
}

function md5(content: string | Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}

const utf8 = (text: string) => Buffer.from(text);

export const textRows = {
  lower: [rowOf('text > text', (characters) => characters.map(lowerOf).join(''))],
  upper: [rowOf('text > text', (characters) => characters.map(upperOf).join(''))],
  initcap: [rowOf('text > text', capitals)],
  length: [
    row('text > int64', (text: string) => BigInt([...text].length)),
    row('bytes > int64', (bytes: Bytes) => BigInt(bytes.data.length)),
  ],
  octet_length: [
    row('text > int64', (text: string) => BigInt(utf8(text).length)),
    row('bytes > int64', (bytes: Bytes) => BigInt(bytes.data.length)),
  ],
  substring: [
    rowOf('text int64 > text', (characters, from) => part(characters, from).join('')),
    rowOf('text int64 int64 > text', (characters, from, count) =>
      part(characters, from, count).join(''),
    ),
    row('bytes int64 int64 > bytes', ({ data }: Bytes, from: bigint, count: bigint) => {
      return new Bytes(Uint8Array.from(part([...data], from, count)));
    }),
  ],
  position: [
    row('text text > int64', (text: string, wanted: string) => {
      const [before, ...rest] = text.split(wanted);
      if (wanted === '') return 1n;
      return rest.length === 0 ? 0n : BigInt([...(before as string)].length) + 1n;
    }),
  ],
  starts_with: [
    row('text text > bool', (text: string, start: string) => text.slice(0, start.length) === start),
  ],
  replace: [
    row('text text text > text', (text: string, from: string, to: string) => {
      if (from === '') return text;
      const parts = text.split(from);
      const grown = text.length + (parts.length - 1) * (to.length - from.length);
      notTooLong(BigInt(grown));
      return parts.join(to);
    }),
  ],
  trim: trims('lr'),
  ltrim: trims('l'),
  rtrim: trims('r'),
  left: [
    rowOf('text int64 > text', (characters, count: bigint) => {
      const wanted = count < 0n ? BigInt(characters.length) + count : count;
      return characters.filter((_, i) => BigInt(i) < wanted).join('');
    }),
  ],
  right: [
    rowOf('text int64 > text', (characters, count: bigint) => {
      const from = count < 0n ? -count : BigInt(characters.length) - count;
      return characters.filter((_, i) => BigInt(i) >= from).join('');
    }),
  ],
  lpad: pads('l'),
  rpad: pads('r'),
  repeat: [row('text int64 > text', repeated)],
  reverse: [rowOf('text > text', (characters) => characters.toReversed().join(''))],
  split_part: [row('text text int64 > text', splitPart)],
  concat: [
    row('text… > text', (...texts: string[]) => {
      notTooLong(texts.reduce((sum, text) => sum + BigInt(text.length), 0n));
      return ''.concat(...texts);
    }),
  ],
  md5: [row('text > text', md5), row('bytes > text', ({ data }: Bytes) => md5(data))],
  encode: [row('bytes text > text', encoded)],
  decode: [row('text text > bytes', decoded)],
  ascii: [row('text > int64', (text: string) => BigInt(text.codePointAt(0) ?? 0))],
  chr: [row('int64 > text', characterOf)],
  to_text: [
    row('text > text', (text: string) => text),
    row('int64 > text', String),
    row('float64 > text', textOfFloat),
    row('bool > text', (value: boolean) => (value ? 'true' : 'false')),
    row('bytes > text', textOfBytes),
  ],
};
