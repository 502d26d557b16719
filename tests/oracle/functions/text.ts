/** Functions of text, character by character. */

import type { Bytes } from '../value.ts';
import { row } from './row.ts';

const iotas = new Map([...'ᾳῃῳ'].map((small, i) => [small, 'ᾼῌῼ'[i] as string]));

function upperOf(character: string): string {
  const [from, to] = ['ᾀ', 'ᾯ'].map((end) => end.charCodeAt(0)) as [number, number];
  const unit = character.charCodeAt(0);
  if (unit >= from && unit <= to) return String.fromCharCode(unit | 8);
  const upper = iotas.get(character) ?? character.toUpperCase();
  return [...upper].length === 1 ? upper : character;
}

function lowerOf(character: string): string {
  if (character === 'İ') return 'i';
  return character.toLowerCase();
}

function textOfFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 15) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

export function textOfBytes({ data, format }: Bytes): string {
  const hex = Buffer.from(data).toString('hex');
  if (format !== 'uuid' || data.length !== 16) return `\\x${hex}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export const textRows = {
  lower: [row('text > text', (text: string) => [...text].map(lowerOf).join(''))],
  upper: [row('text > text', (text: string) => [...text].map(upperOf).join(''))],
  length: [
    row('text > int64', (text: string) => BigInt([...text].length)),
    row('bytes > int64', (bytes: Bytes) => BigInt(bytes.data.length)),
  ],
  to_text: [
    row('text > text', (text: string) => text),
    row('int64 > text', String),
    row('float64 > text', textOfFloat),
    row('bool > text', (value: boolean) => (value ? 'true' : 'false')),
    row('bytes > text', textOfBytes),
  ],
};
