/** Functions of numbers, by integers without bounds and by decimal digits. */

import { isInt64 } from '../literal.ts';
import { failed } from '../problem.ts';
import { row } from './row.ts';

function inRange(value: bigint): bigint {
  if (!isInt64(value)) throw failed('numeric_overflow');
  return value;
}

/** A float64 as sign × digits × 10^exponent, with the shortest digits. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^([0-9]+)(?:\.([0-9]+))?e(.*)$/.exec(Math.abs(value).toExponential()) ?? [];
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function toPlaces(value: number, places: bigint, isNearest: boolean): number {
  const { digits, exponent } = decimalOf(value);
  const dropped = -BigInt(exponent) - places;
  if (dropped <= 0n) return value === 0 ? 0 : value;
  if (dropped > 400n) return 0;
  const unit = 10n ** dropped;
  const kept = digits / unit;
  const isUp = isNearest && 2n * (digits % unit) >= unit;
  const rounded = Number(`${kept + (isUp ? 1n : 0n)}e${-places}`);
  if (rounded === Infinity) throw failed('numeric_overflow');
  return rounded === 0 ? 0 : Math.sign(value) * rounded;
}

function halfEven(value: number): number {
  const [below, above] = [Math.floor(value), Math.ceil(value)];
  if (value - below < above - value) return below;
  if (value - below > above - value) return above;
  const even = below % 2 === 0 ? below : above;
  return even === 0 && value < 0 ? -0 : even;
}

/** A positive number as a fraction. */
function fractionOf(value: number): [bigint, bigint] {
  let [above, below] = [value, 1n];
  for (; !Number.isInteger(above); below *= 2n) above *= 2;
  return [BigInt(above), below];
}

/** The quotient as a number, by way of forty decimal digits. */
function quotient(above: bigint, below: bigint): number {
  const scale = String(above).length - String(below).length - 40;
  const digits =
    scale < 0 ? (above * 10n ** BigInt(-scale)) / below : above / below / 10n ** BigInt(scale);
  return Number(`${digits}e${scale}`);
}

function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw failed('invalid_argument');
  if (base < 0 && exponent % 1 !== 0) throw failed('invalid_argument');
  if (base === 0 || exponent === 0) return base ** exponent;
  if (exponent % 1 !== 0 || Math.abs(exponent) > 1000) return solid(base ** exponent);
  const [above, below] = fractionOf(Math.abs(base));
  const times = BigInt(Math.abs(exponent));
  const [over, under] = exponent > 0 ? [above, below] : [below, above];
  const magnitude = quotient(over ** times, under ** times);
  return solid(base < 0 && times % 2n === 1n ? -magnitude : magnitude);
}

function solid(value: number): number {
  if (value === 0 || !Number.isFinite(value)) throw failed('numeric_overflow');
  return value;
}

function logarithm(value: number, of: (value: number) => number): number {
  if (value <= 0) throw failed('invalid_argument');
  return of(value);
}

/** The bits of two's complement as a text of 64 digits, and back. */
const bitsOf = (value: bigint) => BigInt.asUintN(64, value).toString(2).padStart(64, '0');
const ofBits = (bits: string) => BigInt.asIntN(64, BigInt(`0b${bits}`));

function bitwise(test: (a: boolean, b: boolean) => boolean) {
  return row('int64 int64 > int64', (left: bigint, right: bigint) => {
    const others = bitsOf(right);
    const bits = [...bitsOf(left)].map((bit, i) =>
      test(bit === '1', others[i] === '1') ? '1' : '0',
    );
    return ofBits(bits.join(''));
  });
}

function shifted(value: bigint, count: bigint, isLeft: boolean): bigint {
  const places = Number(((count % 64n) + 64n) % 64n);
  const bits = bitsOf(value);
  if (isLeft) return ofBits(bits.slice(places) + '0'.repeat(places));
  return ofBits((bits[0] as string).repeat(places) + bits.slice(0, 64 - places));
}

const signOf = (value: bigint | number) => (value > 0 ? 1 : value < 0 ? -1 : 0);

export const numberRows = {
  mod: [
    row('int64 int64 > int64', (left: bigint, right: bigint) => {
      if (right === 0n) throw failed('division_by_zero');
      return left - (left / right) * right;
    }),
    row('float64 float64 > float64', (left: number, right: number) => {
      if (right === 0) throw failed('division_by_zero');
      return left % right;
    }),
  ],
  abs: [
    row('int64 > int64', (value: bigint) => inRange(value < 0n ? -value : value)),
    row('float64 > float64', (value: number) => (value < 0 ? -value : value + 0)),
  ],
  sign: [
    row('int64 > int64', (value: bigint) => BigInt(signOf(value))),
    row('float64 > float64', (value: number) => signOf(value)),
  ],
  round: [
    row('float64 > float64', halfEven),
    row('float64 int64 > float64', (value: number, places: bigint) =>
      toPlaces(value, places, true),
    ),
  ],
  trunc: [
    row('float64 > float64', (value: number) => (value < 0 ? Math.ceil(value) : Math.floor(value))),
    row('float64 int64 > float64', (value: number, places: bigint) =>
      toPlaces(value, places, false),
    ),
  ],
  ceil: [row('float64 > float64', (value: number) => -Math.floor(-value))],
  floor: [row('float64 > float64', (value: number) => -Math.ceil(-value))],
  round_int64: [row('float64 > int64', (value: number) => inRange(BigInt(halfEven(value))))],
  power: [row('float64 float64 > float64', power)],
  sqrt: [
    row('float64 > float64', (value: number) => {
      if (value < 0) throw failed('invalid_argument');
      return Math.sqrt(value);
    }),
  ],
  exp: [row('float64 > float64', (value: number) => solid(Math.exp(value)))],
  ln: [row('float64 > float64', (value: number) => logarithm(value, Math.log))],
  log10: [row('float64 > float64', (value: number) => logarithm(value, Math.log10))],
  bit_and: [bitwise((a, b) => a && b)],
  bit_or: [bitwise((a, b) => a || b)],
  bit_xor: [bitwise((a, b) => a !== b)],
  bit_not: [row('int64 > int64', (value: bigint) => -value - 1n)],
  shift_left: [
    row('int64 int64 > int64', (value: bigint, count: bigint) => shifted(value, count, true)),
  ],
  shift_right: [
    row('int64 int64 > int64', (value: bigint, count: bigint) => shifted(value, count, false)),
  ],
};
