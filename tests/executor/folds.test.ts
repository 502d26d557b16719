/** Folds over vectors of numbers against the same over any values; a bigint among them where that can be. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { PlanFold } from '#planner';
import type { Datum } from '#value';
import type { Datums } from '../../src/executor/batch/vector.ts';
import { selectNumber } from '../../src/executor/kernels/select-number.ts';
import { foldOf } from '../../src/executor/operators/aggregate/fold-of.ts';

const functions = ['count', 'sum', 'avg', 'min', 'max'] as const;
const types = ['int64', 'float64'] as const;
const rows = 12;

const anyNumbers = {
  int64: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constant(2 ** 53 - 1)),
  float64: fc.oneof(fc.constantFrom(0, -0, 1e300), fc.double({ noNaN: true, min: -1e6, max: 1e6 })),
};

function planOf(fn: (typeof functions)[number], type: (typeof types)[number]): PlanFold {
  const argument = { kind: 'column', columnIndex: 0, type: { kind: type } };
  return { fn, argument } as unknown as PlanFold;
}

describe.each(types)('of %s', (type) => {
  const anyBatches = fc.array(
    fc.record({
      values: fc.array(anyNumbers[type], { minLength: rows, maxLength: rows }),
      rows: fc.subarray([...Array(rows).keys()], { minLength: 1 }),
      groups: fc.array(fc.nat(2), { minLength: rows, maxLength: rows }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  test.each(functions)('%s', (fn) => {
    const plan = planOf(fn, type);
    fc.assert(
      fc.property(anyBatches, fc.constantFrom(1, 3), (batches, groupCount) => {
        const folds = [foldOf(plan), foldOf(plan)] as const;
        for (const batch of batches) {
          const selection = Uint32Array.from(batch.rows);
          const groups = Int32Array.from(batch.groups, (group) => group % groupCount);
          const vectors = [Float64Array.from(batch.values), batch.values as Datum[]];
          for (const [i, fold] of folds.entries()) {
            fold.update(vectors[i], groups, selection, selection.length, groupCount);
          }
        }
        const results = folds.map((fold): Datums | string => {
          const out: Datums = [];
          try {
            fold.finish(0, groupCount, out);
            return out;
          } catch (error) {
            return String(error);
          }
        });
        expect(results[0]).toStrictEqual(results[1] as Datums);
        expect(folds[0].valueBytes).toBe(folds[1].valueBytes);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  test.each(['lt', 'lte', 'gt', 'gte', 'eq', 'ne'] as const)('rows that are %s a bound', (op) => {
    fc.assert(
      fc.property(anyBatches, anyNumbers[type], fc.boolean(), ([batch], other, isOwn) => {
        if (batch === undefined) return;
        const selection = Uint32Array.from(batch.rows);
        const bound = isOwn ? (batch.values[0] as number) : other;
        const kept = [Float64Array.from(batch.values), batch.values as Datum[]].map((values) => {
          const out = new Uint32Array(rows);
          const select = selectNumber(
            op,
            () => values,
            () => bound,
          );
          return [...out.subarray(0, select([], selection, selection.length, out))];
        });
        expect(kept[0]).toEqual(kept[1] as number[]);
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

describe('batches with and without NULL, more groups from batch to batch', () => {
  const anyBatch = (type: (typeof types)[number]) =>
    fc.record({
      values: fc.array(fc.option(anyNumbers[type], { freq: 4 }), {
        minLength: rows,
        maxLength: rows,
      }),
      groups: fc.array(fc.nat(40), { minLength: rows, maxLength: rows }),
    });

  /** Folds one group, value by value. */
  function naive(fn: string, type: string, values: readonly number[]): Datum {
    if (fn === 'count') return values.length;
    if (values.length === 0) return null;
    if (fn === 'avg') return values.reduce((sum, value) => sum + value, 0) / values.length;
    if (type === 'float64') return values.reduce((sum, value) => sum + value, 0);
    const total = values.reduce((sum, value) => sum + BigInt(value), 0n);
    return Number.isSafeInteger(Number(total)) ? Number(total) : total;
  }

  test.each(types.flatMap((type) => ['count', 'sum', 'avg'].map((fn) => [fn, type] as const)))(
    '%s of %s',
    (fn, type) => {
      fc.assert(
        fc.property(fc.array(anyBatch(type), { maxLength: 5 }), (batches) => {
          const fold = foldOf(planOf(fn as 'sum', type));
          const expected = Array.from({ length: 41 }, (): number[] => []);
          let groupCount = 1;
          for (const { values, groups } of batches) {
            const isTyped = !values.includes(null);
            groups.forEach((group, i) => {
              groupCount = Math.max(groupCount, group + 1);
              if (values[i] !== null) expected[group]?.push(values[i] as number);
            });
            const vector = isTyped ? Float64Array.from(values as number[]) : (values as Datum[]);
            const all = Uint32Array.from(values, (_, i) => i);
            fold.update(vector, Int32Array.from(groups), all, rows, groupCount);
          }
          const out: Datums = [];
          fold.finish(0, 20, out);
          fold.finish(20, 41, out);
          expect(out).toStrictEqual(expected.map((of) => naive(fn, type, of)));
        }),
        { seed: 5, numRuns: 200 },
      );
    },
  );
});
