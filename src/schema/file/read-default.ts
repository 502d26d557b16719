/** Reads the `default` of a column: a generator call, or a literal whose type is that of the YAML scalar (docs/schema.md). */

import { isScalar } from 'yaml';
import { didYouMean } from '#base';
import { type ColumnDefault, generatorFunctions } from '#catalog';
import { type DefaultLiteral, ExactNumber, type ScalarType } from '#value';
import { kindOf, type Member, type Reader } from './reader.ts';
import type { Spotted } from './source.ts';

export function readDefault(
  reader: Reader,
  member: Member | undefined,
): Spotted<ColumnDefault> | undefined {
  if (member === undefined) return undefined;
  const { node, spot } = member;
  const value = isScalar(node) ? node.value : undefined;
  switch (typeof value) {
    case 'string':
      return { value: fromText(value), spot };
    case 'boolean':
      return { value: literal(value), spot };
    case 'bigint':
      return { value: literal(narrow(value)), spot };
    case 'number':
      if (Number.isFinite(value)) return { value: literal(floatOf(node, value)), spot };
      reader.findings.error(spot, 'float default must be finite');
      return undefined;
    default:
      reader.findings.error(
        spot,
        `cannot use ${kindOf(node)} as a default`,
        'omit the member if the column has no default',
      );
      return undefined;
  }
}

/** Returns a generator for `uuid_v4()` and the like, and a literal for any other text. */
function fromText(text: string): ColumnDefault {
  const func = generatorFunctions.find((name) => text === `${name}()`);
  return func === undefined ? literal(text) : { kind: 'generator', func };
}

function literal(value: DefaultLiteral): ColumnDefault {
  return { kind: 'literal', value };
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Returns a float of integral value as an `ExactNumber`, so that `1.0` is not accepted as the default of an int64 column. */
function floatOf(node: unknown, value: number): number | ExactNumber {
  if (!Number.isInteger(value)) return value;
  const source = isScalar(node) ? node.source : undefined;
  return new ExactNumber(source ?? value.toExponential());
}

/** Returns a hint for a text similar to a generator call, `undefined` if the text is probably intended. */
export function generatorHint(given: ColumnDefault, type: ScalarType): string | undefined {
  if (given.kind === 'generator' || typeof given.value !== 'string' || type === 'text') {
    return undefined;
  }
  if (given.value === 'uuid()') return 'did you mean "uuid_v7()"?';
  return didYouMean(
    given.value,
    generatorFunctions.map((name) => `${name}()`),
  );
}
