/** A value that is one of many literals, as equalities of each would have it. */

import { expect, test } from 'bun:test';
import { ByteString, type Datum, type ScalarType } from '#value';
import { amongKernel } from '../../src/executor/kernels/in-list.ts';
import { kernelOf, selectTrue } from '../../src/executor/kernels/kernel.ts';

const bytes = (...of: readonly number[]) => new ByteString(Uint8Array.from(of));

function run(type: ScalarType, members: readonly Datum[], cells: Datum[] | Float64Array) {
  const kernel = amongKernel(
    kernelOf(() => cells, false),
    members,
    type,
  );
  const selection = Uint32Array.from(cells, (_, i) => i);
  const values = kernel.evaluate([], selection, cells.length);
  const kept = selection.slice();
  const count = selectTrue(kernel)([], selection, cells.length, kept);
  return { values: Array.from(values), kept: Array.from(kept.subarray(0, count)) };
}

test.each([
  ['int64', [1, 3, 2n ** 60n], [1, 2, 3, 2n ** 60n, 2n ** 60n + 1n], [0, 2, 3]],
  ['float64', [0, 0.5], [-0, 0, 0.5, 1], [0, 1, 2]],
  ['float64', [-0], [-0, 0], [0, 1]],
  ['text', ['a', ''], ['', 'a', 'A', 'ab'], [0, 1]],
  ['bool', [true], [false, true], [1]],
  ['bytes', [bytes(1, 2), bytes()], [bytes(1), bytes(1, 2), bytes()], [1, 2]],
] as [ScalarType, Datum[], Datum[], number[]][])(
  'of %s: %p in %p',
  (type, members, cells, kept) => {
    const found = run(type, members, cells);
    expect(found.kept).toEqual(kept);
    expect(found.values).toEqual(cells.map((_, i) => kept.includes(i)));
  },
);

test('a NULL cell is UNKNOWN, a NULL among the literals makes what is no member so', () => {
  expect(run('int64', [1, 2, 3], [1, null, 4])).toEqual({ values: [true, null, false], kept: [0] });
  expect(run('int64', [1, null, 3], [1, null, 4])).toEqual({
    values: [true, null, null],
    kept: [0],
  });
  const texts = run('bytes', [bytes(7), null], [bytes(7), null, bytes(8)]);
  expect(texts).toEqual({ values: [true, null, null], kept: [0] });
});

test('numbers in a column without NULL', () => {
  expect(run('int64', [2, 5], Float64Array.of(5, 4, 2)).kept).toEqual([0, 2]);
});
