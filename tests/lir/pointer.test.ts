/** JSON pointers are written and read as RFC 6901 says. */

import { expect, test } from 'bun:test';
import { locate, pointerOf, resolvePointer } from '#lir';

const inner = { deep: [0, { here: true }] };
const document = { '': 1, 'a/b': 2, 'm~n': 3, '~1': 4, list: [[], inner], 7: 5 };

const pointers: readonly [readonly (string | number)[], string, unknown][] = [
  [[], '', document],
  [[''], '/', 1],
  [['a/b'], '/a~1b', 2],
  [['m~n'], '/m~0n', 3],
  [['~1'], '/~01', 4],
  [['list', 1, 'deep', 0], '/list/1/deep/0', 0],
  [['7'], '/7', 5],
];

test.each(pointers)('%p is %p', (path, pointer, value) => {
  expect(pointerOf(path)).toBe(pointer);
  expect(resolvePointer(document, pointer)).toBe(value);
});

test('what is not there resolves to nothing', () => {
  for (const pointer of ['/x', '/list/2', '/list/1/deep/0/x', '/constructor', '/list/length/x']) {
    expect(resolvePointer(document, pointer)).toBeUndefined();
  }
});

test('a search makes nothing for the cells of rows', () => {
  let made = 0;
  const cells = (row: unknown[]) =>
    new Proxy(row, {
      ownKeys: (target) => {
        made++;
        return Reflect.ownKeys(target);
      },
    });
  const rows = Array.from({ length: 100 }, (_, i) => cells([`${i}`, null]));
  expect(locate({ nodes: { r: { rows } } }, rows[99] as object)).toBe('/nodes/r/rows/99');
  expect(made).toBe(0);
});

test('an object is located by identity, not by its looks', () => {
  const twin = { deep: [0, { here: true }] };
  expect(locate(document, inner)).toBe('/list/1');
  expect(locate({ 'x/y': [twin, inner] }, inner)).toBe('/x~1y/1');
  expect(locate(document, document)).toBe('');
  expect(locate(document, twin)).toBeUndefined();
});
