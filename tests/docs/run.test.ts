/** The checks of the documentation detect what they are there for. */

import { describe, expect, test } from 'bun:test';
import type { Reply } from '../support/database.ts';
import { type Answer, blocksOf, type Example } from './blocks.ts';
import { markUsed, partsOf } from './coverage.ts';
import { difference } from './run.ts';

const reply = (text: string, status = 200): Reply => ({
  status,
  headers: new Headers(),
  text,
  json: undefined,
});

const shown = (text: string, answer: Partial<Answer> = {}): Example => ({
  at: '',
  kind: 'query',
  options: [],
  request: '',
  answer: { kind: 'result', isPart: false, text, ...answer },
});

describe('a whole answer', () => {
  const differs = (page: string, real: string) =>
    difference(shown(page), reply(real)) !== undefined;

  test('may be laid out', () => expect(differs('[ {"a b": 1.0} ]\n', '[{"a b":1.0}]')).toBe(false));
  test('has all members', () => expect(differs('{"a": 1}', '{"a":1,"b":2}')).toBe(true));
  test('has them in order', () => expect(differs('{"b": 2, "a": 1}', '{"a":1,"b":2}')).toBe(true));
  test('has numbers in their form', () => expect(differs('[1]', '[1.0]')).toBe(true));
  test('keeps blanks in texts', () => expect(differs('["a  b"]', '["a b"]')).toBe(true));
});

describe('a part', () => {
  const differs = (page: string, real: string) =>
    difference(shown(page, { isPart: true }), reply(real)) !== undefined;

  test('may leave out members', () => expect(differs('{"a": {}}', '{"a":{"b":2}}')).toBe(false));
  test('shows real values', () => expect(differs('{"a": {"b": 1}}', '{"a":{"b":2}}')).toBe(true));
  test('shows all elements', () => expect(differs('[1]', '[1,2]')).toBe(true));
});

test('a problem where a result is shown', () => {
  expect(difference(shown('{}', { isPart: true }), reply('{}', 422))).toBe('{}');
});

test('the values of an expression', () => {
  const example: Example = { ...shown('[1.5, null, "a}b", true]'), kind: 'expression' };
  const rows = '[{"value":1.5},{"value":null},{"value":"a}b"},{"value":true}]';
  expect(difference(example, reply(rows))).toBeUndefined();
});

test('blocks have words and a line', () => {
  const page = 'a\n\n```json query x\n{}\n```\n\n```sh\nls\n```\n';
  expect(blocksOf(page)).toEqual([{ words: ['query', 'x'], text: '{}\n', line: 3 }]);
});

test('parts of a grammar are found by tag', () => {
  const grammar = {
    Shape: { anyOf: [{ $ref: '#/$defs/Dot' }, { $ref: '#/$defs/Line' }] },
    Dot: { properties: { kind: { const: 'dot' }, at: {} } },
    Line: { properties: { kind: { const: 'line' }, style: { enum: ['solid', 'dashed'] } } },
  };
  const used = new Set<string>();
  markUsed(grammar, 'Shape', { kind: 'line', style: 'solid' }, used);
  expect([...partsOf(grammar)].filter((part) => !used.has(part))).toEqual([
    'Dot',
    'Dot.kind',
    'Dot.at',
    'Line.style=dashed',
  ]);
});
