/** Where strings and numbers of a text stand, also in members whose name comes twice: the last one is what the value holds. */

import { expect, test } from 'bun:test';
import { spansOf } from '../../src/wire/template/spans.ts';

/** The texts of the spans of a value, each behind the name or number of its member. */
function found(text: string): unknown {
  const value = JSON.parse(text);
  const spans = spansOf(text, value);
  const shown = (container: object): unknown =>
    Object.entries(container).map(([name, member]) => {
      const key = Array.isArray(container) ? Number(name) : name;
      const span = spans.get(container)?.get(key);
      const isDeep = typeof member === 'object' && member !== null;
      return isDeep ? [name, shown(member)] : [name, span && text.slice(span.from, span.to)];
    });
  return shown(value);
}

test('strings lie between their quotes, numbers from end to end', () => {
  expect(found('{"a": "x\\"y\\\\", "b": [-1.5e3, true, "", {"c": 0}]}')).toEqual([
    ['a', 'x\\"y\\\\'],
    [
      'b',
      [
        ['0', '-1.5e3'],
        ['1', undefined],
        ['2', ''],
        ['3', [['c', '0']]],
      ],
    ],
  ]);
});

test.each([
  ['{"a":{"x":{"y":{"z":["1"]}}},"a":5}', [['a', '5']]],
  ['{"a":{"x":{"y":{"z":["1"]}}},"a":null}', [['a', undefined]]],
  ['{"a":"1","a":true}', [['a', undefined]]],
  ['{"a":{"x":"1"},"a":{"y":"2"}}', [['a', [['y', '2']]]]],
])('a member that comes twice: %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});
