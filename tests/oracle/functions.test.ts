/** Each function of the registry and the oracle's own row of it give the same values, for many arguments. */

import { expect, test } from 'bun:test';
import {
  argumentType,
  ByteString,
  EvaluationFailure,
  type FunctionName,
  functionNames,
  functions,
  type Scalar,
  type ScalarType,
} from '#value';
import { argumentsFor } from './functions/arguments.ts';
import { table } from './functions/table.ts';
import { OracleProblem } from './problem.ts';
import { Bytes, type Value } from './value.ts';

const tuplesMax = 4_000;

test.each(functionNames.filter((name) => name !== 'not_null'))('%s', (name) => {
  const rows = table[name] ?? [];
  const { overloads } = functions[name];
  expect(rows.map((row) => [...row.args, row.result])).toEqual(
    overloads.map((overload) => [...overload.args, overload.result]),
  );
  const differences: string[] = [];
  for (const [at, overload] of overloads.entries()) {
    const count = overload.args.length + (overload.isVariadic ? 1 : 0);
    const types = Array.from({ length: count }, (_, i) => argumentType(overload, i));
    for (const tuple of tuplesOf(name, types)) {
      const ours = outcomeOf(() => overload.apply(...tuple), overload.result);
      const args = tuple.map((value, i) => oracleValue(value, types[i] as ScalarType));
      const theirs = outcomeOf(() => rows[at]?.value(...args) as Value, overload.result);
      if (ours.startsWith('raised') && !overload.canFail) differences.push(`${name} can fail`);
      if (ours !== theirs)
        differences.push(
          `${name}(${args.map((arg) => shown(arg)).join()}): ${ours}, not ${theirs}`,
        );
    }
  }
  expect(differences.slice(0, 5)).toEqual([]);
});

test('the oracle has a row for each function', () => {
  expect(Object.keys(table).sort()).toEqual([...functionNames].sort());
});

/** All combinations of the arguments, or some of them, spread evenly. */
function* tuplesOf(name: FunctionName, types: readonly ScalarType[]): Iterable<Scalar[]> {
  const pools = types.map((type, at) => argumentsFor(name, at, type));
  const total = pools.reduce((product, pool) => product * pool.length, 1);
  // A step without a common factor reaches each value of each pool.
  const step = total <= tuplesMax ? 1 : Math.ceil(total / tuplesMax) | 1;
  for (let tuple = 0; tuple < total; tuple += step) {
    let rest = tuple;
    yield pools.map((pool) => {
      const value = pool[rest % pool.length] as Scalar;
      rest = Math.floor(rest / pool.length);
      return value;
    });
  }
}

function outcomeOf(compute: () => Scalar | Value, type: ScalarType): string {
  try {
    return shown(compute(), type);
  } catch (error) {
    if (error instanceof EvaluationFailure || error instanceof OracleProblem) {
      return `raised ${error.reason}`;
    }
    throw error;
  }
}

function oracleValue(value: Scalar, type: ScalarType): Value {
  if (type === 'int64') return BigInt(value as number);
  return value instanceof ByteString ? new Bytes(value.bytes, value.format) : value;
}

/** Fifteen digits of a float64: logarithms and powers may differ in the last ones. */
function shown(value: Scalar | Value, type?: ScalarType): string {
  if (value instanceof ByteString) return Buffer.from(value.bytes).toString('hex');
  if (value instanceof Bytes) return Buffer.from(value.data).toString('hex');
  if (type === 'float64') return (value as number).toPrecision(15);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
