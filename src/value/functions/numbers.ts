/** The rows of functions of numbers. */

import {
  exponential,
  floatRemainder,
  floatToInt64,
  logarithm,
  power,
  roundHalfEven,
  squareRoot,
  toPlaces,
} from './floats.ts';
import {
  absolute,
  bitAnd,
  bitNot,
  bitOr,
  bitXor,
  remainder,
  shiftLeft,
  shiftRight,
} from './integers.ts';
import { overload, scalarFunction } from './overload.ts';

const raising = { canFail: true } as const;
const twoIntegers = ['int64', 'int64'] as const;
const float = ['float64'] as const;
const floatAndPlaces = ['float64', 'int64'] as const;

export const numberFunctions = {
  mod: scalarFunction(
    overload(twoIntegers, 'int64', remainder, raising),
    overload(['float64', 'float64'], 'float64', floatRemainder, raising),
  ),
  abs: scalarFunction(
    overload(['int64'], 'int64', absolute, raising),
    overload(float, 'float64', Math.abs),
  ),
  sign: scalarFunction(
    overload(['int64'], 'int64', (value) => (value > 0 ? 1 : value < 0 ? -1 : 0)),
    overload(float, 'float64', (value) => (value > 0 ? 1 : value < 0 ? -1 : 0)),
  ),
  round: scalarFunction(
    overload(float, 'float64', roundHalfEven),
    overload(
      floatAndPlaces,
      'float64',
      (value, places) => toPlaces(value, places, 'nearest'),
      raising,
    ),
  ),
  trunc: scalarFunction(
    overload(float, 'float64', Math.trunc),
    overload(floatAndPlaces, 'float64', (value, places) => toPlaces(value, places, 'toward_zero')),
  ),
  ceil: scalarFunction(overload(float, 'float64', Math.ceil)),
  floor: scalarFunction(overload(float, 'float64', Math.floor)),
  round_int64: scalarFunction(overload(float, 'int64', floatToInt64, raising)),
  power: scalarFunction(overload(['float64', 'float64'], 'float64', power, raising)),
  sqrt: scalarFunction(overload(float, 'float64', squareRoot, raising)),
  exp: scalarFunction(overload(float, 'float64', exponential, raising)),
  ln: scalarFunction(overload(float, 'float64', (value) => logarithm(value, 'e'), raising)),
  log10: scalarFunction(overload(float, 'float64', (value) => logarithm(value, '10'), raising)),
  bit_and: scalarFunction(overload(twoIntegers, 'int64', bitAnd)),
  bit_or: scalarFunction(overload(twoIntegers, 'int64', bitOr)),
  bit_xor: scalarFunction(overload(twoIntegers, 'int64', bitXor)),
  bit_not: scalarFunction(overload(['int64'], 'int64', bitNot)),
  shift_left: scalarFunction(overload(twoIntegers, 'int64', shiftLeft)),
  shift_right: scalarFunction(overload(twoIntegers, 'int64', shiftRight)),
};
