/** Values of applications as literals of the wire, and back. */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { base64Length, bytesOfId, type IdCode, idOfBytes } from './ids.ts';

/** An integer that the chosen type of the application cannot hold. */
export class PrecisionError extends Error {
  override name = 'PrecisionError';
}

export type LirType = 'text' | 'int64' | 'float64' | 'bool' | 'bytes';

const types: Readonly<Record<Code, LirType>> = {
  ...{ t: 'text', j: 'text', b: 'bool', f: 'float64', x: 'bytes' },
  ...{ i: 'int64', n: 'int64', s: 'int64', D: 'int64', u: 'bytes', l: 'bytes', d: 'bytes' },
} as Record<Code, LirType>;

export const typeOf = (code: Code): LirType => types[code];

/** The code of a value of no column. */
export function codeOfType(type: LirType, value?: unknown): Code {
  if (type === 'int64') return typeof value === 'number' ? 'n' : 'i';
  return ({ text: 't', bool: 'b', float64: 'f', bytes: 'x' } as const)[type];
}

const int64Max = 2n ** 63n;

/** The greatest that types of the application hold, where it is less than that of int64. */
export const readable: Readonly<Partial<Record<Code, number>>> = {
  n: Number.MAX_SAFE_INTEGER,
  D: 8.64e15,
};

const wellFormed = (value: unknown) => (value as { isWellFormed?(): boolean }).isWellFormed?.();

/** As it stands in a literal or a cell: text, or a truth value. `what` names the place in errors. */
export function encode(code: Code, value: unknown, what: string): string | boolean {
  const refuse = (wanted: string): never => {
    throw new BuildError(`${what}: ${wanted} is wanted, not ${shown(value)}`);
  };
  switch (typeOf(code)) {
    case 'text':
      if (code === 'j') return JSON.stringify(value) ?? refuse('a value of JSON');
      if (typeof value !== 'string') return refuse('a string');
      // Where there is no such method the server says so.
      return wellFormed(value) === false ? refuse('a text without lone surrogates') : value;
    case 'bool':
      return typeof value === 'boolean' ? value : refuse('a boolean');
    case 'float64':
      if (typeof value !== 'number' || !Number.isFinite(value)) return refuse('a finite number');
      return Object.is(value, -0) ? '-0.0' : String(value);
    case 'int64': {
      const plain = value instanceof Date ? value.getTime() : value;
      if (typeof plain === 'number') {
        return Number.isSafeInteger(plain) ? String(plain) : refuse('a safe integer or a bigint');
      }
      const isText = typeof plain === 'string' && code === 's' && /^-?(0|[1-9]\d*)$/.test(plain);
      if (typeof plain !== 'bigint' && !isText) return refuse('an integer');
      const exact = BigInt(plain as bigint | string);
      return exact >= -int64Max && exact < int64Max ? String(exact) : refuse('an int64');
    }
    default: {
      const bytes =
        typeof value === 'string' && code !== 'x' ? bytesOfId(code as IdCode, value) : value;
      if (!(bytes instanceof Uint8Array)) {
        return refuse(code === 'x' ? 'a Uint8Array' : `an identifier (${formats[code as IdCode]})`);
      }
      return toBase64(bytes);
    }
  }
}

const formats = { u: 'uuid', l: 'ulid', d: 'xid' } as const;

/** From the wire; undefined where the value is the same there. NULL is looked after by who asks. */
export function decoderOf(code: Code, what: string): ((value: never) => unknown) | undefined {
  switch (code) {
    case 'i':
      return (value: number | string) => BigInt(value);
    case 's':
      return (value: number | string) => String(value);
    case 'n':
    case 'D':
      return (value: number | string) => {
        const number = Number(value);
        if (Math.abs(number) > (readable[code] as number)) {
          const limit = code === 'n' ? '2^53 - 1' : 'what a Date holds';
          throw new PrecisionError(`${what}: ${value} is beyond ${limit}; generate bigint for it`);
        }
        return code === 'D' ? new Date(number) : number;
      };
    case 'x':
      return fromBase64;
    case 'u':
    case 'l':
    case 'd':
      return (value: string) =>
        value.length === base64Length(code) ? idOfBytes(code, fromBase64(value)) : value;
    case 'f':
      return (value: number | string) => Number(value);
    case 'j':
      return (value: string) => {
        try {
          return JSON.parse(value);
        } catch (cause) {
          throw new SyntaxError(`${what}: the text is no JSON`, { cause });
        }
      };
    default:
      return undefined;
  }
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return value instanceof Object ? value.constructor.name : String(value);
}
