/** The `default` of a column: a generator's literal, or a value whose YAML kind says what it is (docs/schema.md). */

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
        'leave the member out where there is no default',
      );
      return undefined;
  }
}

/** `uuid_v4()` and the other generators; any other text is a literal. */
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

/** A float of integral value stays one: `1.0` is no default of an int64 column. */
function floatOf(node: unknown, value: number): number | ExactNumber {
  if (!Number.isInteger(value)) return value;
  const source = isScalar(node) ? node.source : undefined;
  return new ExactNumber(source ?? value.toExponential());
}

/** For a text that nearly is a generator's literal; undefined where it may well be meant as it is. */
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
