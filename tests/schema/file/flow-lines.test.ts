/** Lines of plain columns are read past the library: they mean what the library makes of them, and what is wrong is at the same place. */

import { describe, expect, test } from 'bun:test';
import { canonicalSchema } from '#catalog';
import { type Diagnostic, parseSchema } from '#schema';
import { FlowLines } from '../../../src/schema/file/flow-lines.ts';

const file = (...columns: readonly string[]) => `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true, default: increment() }
${columns.map((column) => `      ${column}\n`).join('')}`;

function outcomeOf(text: string) {
  const parsed = parseSchema(text, 'f');
  return parsed.kind === 'schema'
    ? [canonicalSchema(parsed.catalog), placesOf(parsed.warnings)]
    : placesOf(parsed.errors);
}

/** Offsets depend on what stands in the lines before. */
function placesOf(found: readonly Diagnostic[]) {
  return found.map(({ spot, ...diagnostic }) => ({ ...diagnostic, length: spot.to - spot.from }));
}

const lines = (text: string) => FlowLines.in(text);

describe('a column', () => {
  const values =
    'x true false True TRUE null Null NULL yes no on off nan inf 7 007 0 123456789012345'
      .split(' ')
      .concat([
        'increment()',
        'now_ms()',
        'users.id',
        'a_b.c',
        '12345678901234567890',
        '1e3',
        '0x1F',
      ])
      .concat([
        '-5',
        '.5',
        '5.',
        '~',
        '"x"',
        'a-b',
        'a b',
        '[a]',
        '{ a: b }',
        '&a x',
        '*a',
        '!!str x',
      ]);
  const columns = [
    ...values.map((value) => `- { id: 2, name: c, type: text, default: ${value} }`),
    ...values.map((value) => `- { id: ${value}, name: c, type: text }`),
    ...values.map((value) => `- { id: 2, name: ${value}, type: text }`),
    ...values.map((value) => `- { id: 2, name: c, type: int64, ref: ${value} }`),
    ...values.map((value) => `- { id: 2, name: c, type: text, nullable: ${value} }`),
    '- { id: 2, name: c, type: text, name: d }',
    '- { id: 2, name: c, type: txt, unqiue: true }',
    '- { null: 2, true: c }',
    '- { id: 1, name: c, type: text }',
    '-  { id: 2, name: c, type: text }',
    '- { id: 2,  name: c, type:  text }',
    '- {id: 2, name: c, type: text}',
    '- { id: 2, name: c, type: text, }',
    '- { id: 2, name: c, type: text',
    '- { }',
  ];
  test.each(columns)('%s', (column) => {
    // A comment leaves the line to the library.
    const expected = outcomeOf(file(column).replace(/ \}\n/g, ' } # all of it\n'));
    expect(outcomeOf(file(column))).toEqual(expected);
    expect(outcomeOf(file(column).replaceAll('\n', '\r\n'))).toEqual(expected);
  });
});

test('plain columns are set aside, and every other character stays where it is', () => {
  const text = file('- { id: 2, name: c, type: text }', '- { id: 3, name: "d", type: text } # x');
  const aside = lines(text);
  expect(aside.text).toHaveLength(text.length);
  expect(aside.text.split('\n').slice(4, 7)).toEqual([
    `      - { ${' '.repeat(60)} }`,
    `      - { ${' '.repeat(26)} }`,
    '      - { id: 3, name: "d", type: text } # x',
  ]);
  expect(lines('tables: []\n').isEmpty).toBe(true);
});

test('a line within a text is part of it', () => {
  const text = (mark: string) =>
    file(`- id: 2
        name: c
        type: text
        default: |
          ${mark} { id: 2, name: c, type: text }`);
  expect(outcomeOf(text('-'))[0]).toContain('- { id: 2, name: c, type: text }\\n');
  expect(outcomeOf(text('+'))[0]).toContain('+ { id: 2, name: c, type: text }\\n');
});
