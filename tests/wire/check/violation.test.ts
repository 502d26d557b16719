/** Findings of a check as one failure: which are listed, in which order, and how much of a pointer is shown. */

import { expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { pointerOf } from '#lir';
import { violation } from '../../../src/wire/check/violation.ts';

const finding = (pointer: string, detail = 'wrong') => ({ pointer, detail, head: [] });

function failureOf(pointers: readonly string[], frame: Parameters<typeof violation>[1]) {
  const error = violation(
    pointers.map((pointer) => finding(pointer)),
    frame,
  );
  expect(error).toBeInstanceOf(DatabaseError);
  return error.failure;
}

const listed = (pointers: readonly string[]) =>
  (failureOf(pointers, { status: 422 }).errors ?? []).map(({ location }) => location?.pointer);

const numbered = (count: number, length = 3) =>
  Array.from({ length: count }, (_, i) => `/${String(i).padStart(length - 1, '0')}`);

test('a single finding is the failure itself', () => {
  expect(failureOf(['/a/0'], { status: 400 })).toEqual({
    reason: 'schema_violation',
    detail: '/a/0: wrong',
    status: 400,
    location: { pointer: '/a/0' },
  });
});

test('a finding of the whole body has no place in its detail', () => {
  expect(failureOf([''], { status: 422 }).detail).toBe('wrong');
});

test('pointers are those of the request, and the statement is named', () => {
  const frame = { status: 422, prefix: '/body', statement: 's"1' } as const;
  expect(failureOf(['/b', '/a'], frame)).toMatchObject({
    detail: 'statement "s\\"1": /body/a: wrong',
    location: { pointer: '/body/a' },
    errors: [
      { reason: 'schema_violation', detail: 'statement "s\\"1": /body/a: wrong' },
      { location: { pointer: '/body/b' } },
    ],
  });
});

test('findings stand in the order of their pointers, those of one place in the order in which they were found', () => {
  expect(listed(['/b', '/a/1', '/a', '/b', '/B'])).toEqual(['/B', '/a', '/a/1', '/b', '/b']);
  const details = ['second', 'third'].map((detail) => finding('/b', detail));
  const { errors } = violation([...details, finding('/a', 'first')], { status: 422 }).failure;
  expect(errors?.map(({ detail }) => detail)).toEqual(['/a: first', '/b: second', '/b: third']);
});

test('sixteen findings are listed at most', () => {
  expect(listed(numbered(2))).toEqual(numbered(2));
  expect(listed(numbered(16))).toEqual(numbered(16));
  expect(listed(numbered(17))).toEqual(numbered(16));
});

test('their pointers have 64 KiB at most together, and one finding is told in any case', () => {
  const half = 32 << 10;
  expect(listed(numbered(3, half))).toEqual(numbered(2, half));
  expect(listed(numbered(3, half + 1))).toEqual([]);
  const [first] = numbered(1, half + 1);
  expect(failureOf(numbered(3, half + 1), { status: 422 }).location?.pointer).toBe(first);
  const huge = numbered(2, (64 << 10) + 1);
  expect(failureOf(huge, { status: 422 }).location?.pointer).toBe(huge[0] as string);
  expect(listed(huge)).toEqual([]);
});

test('a detail shows the first 500 characters of a pointer, which the location has whole', () => {
  for (const [length, shown] of [
    [500, pointerOf(['x'.repeat(499)])],
    [501, `/${'x'.repeat(499)}…`],
    [2_000, `/${'x'.repeat(499)}…`],
  ] as const) {
    const pointer = `/${'x'.repeat(length - 1)}`;
    const { detail, location } = failureOf([pointer], { status: 422 });
    expect([detail, location?.pointer]).toEqual([`${shown}: wrong`, pointer]);
  }
});
