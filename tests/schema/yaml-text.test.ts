/** YAML that svc writes for other tools: readers of YAML 1.1 and of YAML 1.2 find the same texts, numbers and booleans in it. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseSchema, renderSchema, yamlText } from '#schema';
import { yamlScalar } from '../../src/schema/yaml-text.ts';
import { pyyaml, readBy11 } from '../support/yaml-1.1.ts';

function schemaOf(text: string) {
  const parsed = parseSchema(text, 'svc.schema.yaml');
  if (parsed.kind !== 'schema') throw new Error('the text is no schema');
  return parsed.catalog;
}

const booleans = ['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null', 'none'].flatMap(
  (word) => [word, word.toUpperCase(), (word[0] ?? '').toUpperCase() + word.slice(1)],
);
const numbers = [
  '0o17',
  '017',
  '0x1F',
  '0b11',
  '1_000',
  '12:30',
  '190:20:30.15',
  '1.5',
  '.5',
  '5.',
];
const exponents = ['1e3', '1e+3', '1.0e+3', '685_230.15', '0_', '-.inf', '.NaN', '+1', '08', '1:'];
const times = ['2026-02-03', '2026-02-30', '2026-2-3 10:00:00', '2001-12-14t21:59:43.10-05:00'];
const marks = ['', '~', '=', '<<', '-', '?', ':', '---', '...', '!x', '&a', '*a', '%a', '@a', '`a'];
const spaced = [' a', 'a ', '# c', 'a #b', 'a: b', '- a', 'a\tb', 'a\nb', '\u0085x', 'a\u2028b'];
const odd = ['{', '[', '|', '>', 'é', '\ufeffa', '\u007f', '"', "'", 'a, b', 'a]', '\\'];
const words = [...booleans, ...numbers, ...exponents, ...times, ...marks, ...spaced, ...odd];

/** Each text as an entry, as a name and as a value. */
const specimen = {
  list: words,
  names: Object.fromEntries(words.map((word) => [word, 1])),
  values: words.map((word) => ({ word })),
};

test('each text stays text, in YAML 1.2 and in YAML 1.1', () => {
  const text = yamlText(specimen);
  expect(parse(text)).toEqual(specimen);
  expect(parse(text, { version: '1.1' })).toEqual(specimen);
});

test('numbers, booleans and null stay what they are', () => {
  const scalars = { a: 1, b: 1.5, c: true, d: false, e: null, f: -7, g: [], h: {} };
  expect(readBy11(yamlText(scalars))).toEqual(scalars);
});

test('a text that all read as text has no quotes', () => {
  expect(yamlText({ name: 'off-peak', list: ['summary', 'self.a == oldSelf.a'] })).toBe(
    'name: off-peak\nlist:\n  - summary\n  - self.a == oldSelf.a\n',
  );
  expect(['email', 'offset', 'order_2'].map(yamlScalar)).toEqual(['email', 'offset', 'order_2']);
});

test.skipIf(pyyaml === undefined)('PyYAML reads the same', () => {
  expect(pyyaml?.(yamlText(specimen))).toEqual(specimen);
  const flow = `[${words.map(yamlScalar).join(', ')}]\n`;
  expect(pyyaml?.(flow)).toEqual(words);
});

test('a text in braces stays text', () => {
  const flow = `[${words.map(yamlScalar).join(', ')}]\n`;
  expect(parse(flow)).toEqual(words);
  expect(parse(flow, { version: '1.1' })).toEqual(words);
});

test('any text stays text', () => {
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme', maxLength: 8 }));
  const text = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (one) => {
      const written = yamlText([one]);
      expect(parse(written)).toEqual([one]);
      expect(parse(written, { version: '1.1' })).toEqual([one]);
      expect(parse(`[${yamlScalar(one)}]`, { version: '1.1' })).toEqual([one]);
    }),
    { numRuns: 500 },
  );
});

test('nothing else writes YAML', async () => {
  const root = join(import.meta.dir, '..', '..', 'src');
  const paths = [...new Glob('**/*.ts').scanSync({ cwd: root })];
  const texts = await Promise.all(paths.map((path) => Bun.file(join(root, path)).text()));
  const writes = /\bstringify\b[^;]*\bfrom 'yaml'/;
  expect(writes.test("import { parse, stringify } from 'yaml';")).toBe(true);
  expect(paths.filter((_, i) => writes.test(texts[i] ?? ''))).toEqual([]);
});

test('a rendered schema has its names and defaults in YAML 1.1, too', () => {
  const rendered = renderSchema(
    schemaOf(`tables:
  - id: 1
    name: "on"
    columns:
      - { id: 1, name: "n", type: int64 }
      - { id: 2, name: "Yes", type: text, default: "off" }
      - { id: 3, name: size, type: float64, default: 1e300 }
      - { id: 4, name: least, type: float64, default: 5e-7 }
      - { id: 5, name: is_open, type: bool, default: true }
    primary_key: ["n"]
    indexes:
      - { name: "NO", columns: ["Yes"] }
`),
  );
  expect(readBy11(rendered)).toEqual({
    tables: [
      {
        id: 1,
        name: 'on',
        columns: [
          { id: 1, name: 'n', type: 'int64' },
          { id: 2, name: 'Yes', type: 'text', default: 'off' },
          { id: 3, name: 'size', type: 'float64', default: 1e300 },
          { id: 4, name: 'least', type: 'float64', default: 5e-7 },
          { id: 5, name: 'is_open', type: 'bool', default: true },
        ],
        primary_key: ['n'],
        indexes: [{ name: 'NO', columns: ['Yes'] }],
      },
    ],
  });
  expect(renderSchema(schemaOf(rendered))).toBe(rendered);
});
