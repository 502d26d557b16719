/** Files that mean harm, or were made by something that is broken: refused at their place, in time that grows with their size. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { diagnosticExcerpt, diagnosticLine, parseSchema } from '#schema';

function firstError(content: string | Uint8Array): string {
  const schema = parseSchema(content, 'f');
  if (schema.kind === 'schema') return 'accepted';
  return diagnosticLine(schema.source, schema.errors[0] as never).slice(2);
}

const shape = 'schema validation failed: ';

test('what a message quotes of the file is cut', () => {
  const message = firstError(`tables: ${'!!'.repeat(400_000)}`);
  expect(message).toContain(' … ');
  expect(message.length).toBeLessThan(1_200);
});

describe('more than plain data', () => {
  const rows: [string, string, string][] = [
    [
      'an anchor',
      'tables: &a []',
      '1:12: YAML anchors are not allowed in a schema file; write the value itself instead',
    ],
    [
      'an alias',
      'a: &a 1\ntables: *a',
      '1:7: YAML anchors are not allowed in a schema file; write the value itself instead',
    ],
    [
      'a tag',
      'tables: !!seq []',
      '1:15: YAML tags are not allowed in a schema file; write the value itself instead',
    ],
    [
      'a tag that nobody knows',
      'tables: !x []',
      '1:12: YAML tags are not allowed in a schema file; write the value itself instead',
    ],
    [
      'a merge key',
      'tables: []\n<<: { a: 1 }',
      '2:1: unknown member "<<" of a schema; a schema has tables, policies',
    ],
    [
      'a directive',
      '%YAML 1.1\n---\ntables: []',
      '1:1: YAML directives are not allowed in a schema file',
    ],
    [
      'two documents',
      'tables: []\n---\ntables: []',
      '3:1: the file has more than one YAML document',
    ],
    ['a second member', 'tables: []\ntables: []', '2:1: the member "tables" occurs twice'],
    [
      'a complex key',
      '? [a]\n: 1\ntables: []',
      '1:3: unknown member "a list" of a schema; a schema has tables, policies',
    ],
    [
      'a key that is no text',
      'tables: []\n1: a',
      '2:1: unknown member "1" of a schema; a schema has tables, policies',
    ],
  ];
  test.each(rows)('%s', (_name, text, expected) => {
    expect(firstError(text)).toBe(expected.replace(': ', `: ${shape}`));
  });

  test('a document of references upon references is refused at the first', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++) lines.push(`a${i}: &a${i} [${Array(10).fill(`*a${i - 1}`)}]`);
    expect(firstError(lines.join('\n'))).toStartWith(`1:9: ${shape}YAML anchors`);
  });
});

describe('what no schema has that much of is refused where there is too much, before anything is composed', () => {
  const strays = 'more than 100 anchors, aliases and tags; a schema file must not contain any';
  const documents =
    'more than 100 documents, directives and other top-level tokens; a schema file is one document';
  const members = 'a mapping has more than 5000 members, more than any of a schema';
  const elements = 'a list has more than 5000 elements, more than any of a schema';
  const rows: [string, string, string][] = [
    ['anchors', 'k1: &a1 x\n', strays],
    ['aliases', '- *a\n', strays],
    ['tags', '!!str ', strays],
    ['tags of elements', '- !x y\n', strays],
    ['documents', '---\n', documents],
    ['ends of documents', '...\n', documents],
    ['directives', '%x y\n', documents],
    ['texts side by side', '"a" "b"\n', documents],
    ['members', 'k1: 1\n', members],
    ['complex members', '? \n', members],
    ['members in braces', '{a: 1, ', 'deeper'],
    ['elements', '- a\n', elements],
    ['wrong elements', '- @a\n', elements],
  ];
  test.each(rows)('%s', (_name, line, expected) => {
    const parsed = parseSchema(line.repeat(50_000), 'f');
    const errors = parsed.kind === 'broken' ? parsed.errors : [];
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(expected)]);
  });

  test.each([
    ['a folded text', `a: >\n${'  x\n\n'.repeat(50_000)}`],
    ['a literal text', `a: |\n${'  x\n'.repeat(50_000)}`],
    ['a text over many lines', `a: x\n${'  x\n'.repeat(50_000)}`],
    ['a quoted text', `a: "${'x\n  '.repeat(50_000)}"`],
    ['many texts', `a:\n${`  - |\n${'    x\n'.repeat(100)}`.repeat(200)}`],
  ])('lines: %s', (_name, text) => {
    expect(firstError(text)).toEndWith(
      'the multi-line strings of the file have more than 10000 lines, more than those of any schema',
    );
  });

  test('texts of a few lines are no matter', () => {
    const columns = '      - { id: 1, name: id, type: int64, pk: true }\n';
    const text = `      - id: 2\n        name: t\n        type: text\n        default: |\n${'          x\n'.repeat(200)}`;
    expect(firstError(`tables:\n  - id: 1\n    name: t\n    columns:\n${columns}${text}`)).toBe(
      'accepted',
    );
  });

  test.each([
    ['members', `{${'a: 1, '.repeat(50_000)}}`, members],
    ['elements', `[${'1, '.repeat(50_000)}]`, elements],
  ])('%s in one line', (_name, text, expected) => {
    expect(firstError(text)).toContain(expected);
  });

  test('comments and empty lines are none of it', () => {
    const filler = '# text\n\n'.repeat(5_000);
    expect(firstError(`${filler}tables: []\n${filler}`)).toBe('accepted');
  });

  test('what looks like an anchor within a text is none', () => {
    const texts = Array.from({ length: 200 }, () => '"&a *b !c", ').join('');
    expect(firstError(`tables: [${texts}]`)).toContain('a table must be a mapping');
  });
});

test('a conflict that git left is named once, with its line', () => {
  const mine =
    '  - id: 1\n    name: a\n    columns: [{ id: 1, name: id, type: int64, pk: true }]\n';
  const text = `tables:\n<<<<<<< HEAD\n${mine}=======\n${mine.replace('name: a', 'name: b')}>>>>>>> theirs\n`;
  const parsed = parseSchema(text, 'f');
  expect(parsed.kind === 'broken' && parsed.errors.map(({ message }) => message)).toEqual([
    'line 2: unresolved git conflict; resolve it',
  ]);
});

describe('no text', () => {
  test('bytes that are not UTF-8', () => {
    const bytes = Uint8Array.from([...Buffer.from('tables: []\n# é'), 0xff, 0x41]);
    expect(firstError(bytes)).toBe(`2:4: ${shape}the file is not UTF-8; save it as UTF-8`);
    expect(firstError(Buffer.from('tables: []', 'utf16le'))).toStartWith(
      `1:2: ${shape}control character U+0000`,
    );
    expect(firstError(bytes.subarray(0, -3))).toBe(
      `2:3: ${shape}the file is not UTF-8; save it as UTF-8`,
    );
  });

  test('half a surrogate pair', () => {
    expect(firstError('tables: [] # \ud83d')).toBe(
      `1:14: ${shape}the file is not UTF-8; save it as UTF-8`,
    );
  });

  test('control characters', () => {
    expect(firstError('tables: []\u0000')).toBe(
      `1:11: ${shape}control character U+0000 in the file; write it as "\\u0000" in double quotes`,
    );
  });

  test('a byte order mark and Windows line ends are fine', () => {
    expect(firstError('\ufefftables: []\r\n')).toBe('accepted');
    expect(firstError(Buffer.from('\ufefftables: []\r\n# end\r\n'))).toBe('accepted');
  });

  test('tabs as indentation', () => {
    expect(firstError('tables:\n\t- id: 1')).toBe(
      `2:1: ${shape}Tabs are not allowed as indentation; indent with spaces`,
    );
  });
});

describe('too much', () => {
  const rows: [string, string, string][] = [
    ['deep lists', '['.repeat(100_000), `1:97: ${shape}the file is nested deeper than any schema`],
    [
      'deep blocks',
      '- '.repeat(100_000),
      `1:192: ${shape}the file is nested deeper than any schema`,
    ],
    ['deep keys', '? '.repeat(100_000), `1:192: ${shape}the file is nested deeper than any schema`],
    [
      'many bytes',
      `# ${'x'.repeat(2 ** 20)}`,
      `1:1: ${shape}the file has 1048578 bytes, at most 1048576 are allowed`,
    ],
    [
      'many pieces',
      `[${','.repeat(900_000)}`,
      `1:800001: ${shape}the file has more than 800000 YAML tokens`,
    ],
  ];
  test.each(rows)('%s', (_name, text, expected) => {
    expect(firstError(text)).toBe(expected);
  });

  test('many columns, keys and unknown names in one table', () => {
    const lines = Array.from(
      { length: 2000 },
      (_, i) =>
        `- { id: ${i + 1}, name: c${i}, type: int64, index: true, ref: nothing_like_it_${i}.id }`,
    );
    const text = `tables:\n- id: 1\n  name: t\n  columns:\n${lines.map((line) => `  ${line}\n`).join('')}`;
    const schema = parseSchema(text, 'f');
    expect(schema.kind === 'broken' && schema.errors.length).toBe(100);
  });

  test('names that could steer a terminal are shown as escapes', () => {
    const text = 'tables: []\n"\\e[2J\\x9b1m": 1';
    expect(firstError(text)).toBe(
      `2:1: ${shape}unknown member "\\u001b[2J\\u009b1m" of a schema; a schema has tables, policies`,
    );
  });

  test('the list of errors ends', () => {
    const schema = parseSchema(`tables: [${'1, '.repeat(4000)}]`, 'f');
    expect(schema.kind === 'broken' && schema.errors.length).toBe(100);
  });
});

describe('nothing makes the reader throw', () => {
  const valid = `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: bytes, format: uuid, pk: true, default: uuid_v7() }
      - { id: 2, name: up, type: bytes, format: uuid, nullable: true, ref: users.id }
    indexes: [{ columns: [up], unique: true }]
    foreign_keys: [{ name: k, columns: [up], ref_table: users, ref_columns: [id], on_delete: cascade }]
policies:
  claims: { sub: text }
  tables:
    users:
      read:
        nodes:
          s: { kind: scan, table: users, scope: s }
          m: { kind: filter, input: s, predicate: { kind: binary, op: eq, left: { kind: col, scope: s, column: id }, right: { kind: col, scope: row, column: up } } }
        where: { kind: exists, node: m }
      create: { kind: coalesce, args: [{ kind: lit, value: { type: bool } }, { kind: text_match, value: { kind: claim, name: sub }, parts: [{ kind: any_many }] }] }
`;
  const check = (content: string | Uint8Array) => {
    const schema = parseSchema(content, 'f');
    if (schema.kind === 'schema') return;
    for (const error of schema.errors) {
      expect(error.line).toBeGreaterThan(0);
      diagnosticExcerpt(schema.source, error);
    }
  };

  test('pieces of a schema, put together wrongly', () => {
    const piece = fc.constantFrom(
      ...['tables', 'id', 'name', 'columns', 'type', 'text', 'ref', 'default', 'pk', 'indexes'],
      ...[': ', '- ', '\n', '\n  ', '\n    ', '[', ']', '{', '}', ', ', '"', "'", '|', '>', '#'],
      ...['policies', 'claims', 'read', 'all', 'kind', 'col', 'exists', 'where', 'nodes', 'row'],
      ...['1', '-1', 'true', 'null', '&a ', '*a', '!!str ', '? ', '---', '%', '\t', '\\', '\u0000'],
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => check(pieces.join(''))));
  });

  test('the file of these tests is valid', () => {
    expect(firstError(valid)).toBe('accepted');
  });

  test('a valid file with a few characters changed', () => {
    const edit = fc.tuple(fc.nat(valid.length - 1), fc.nat(8), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let text = valid;
        for (const [at, drop, put] of edits) text = text.slice(0, at) + put + text.slice(at + drop);
        check(text);
      }),
      { numRuns: 400 },
    );
  });

  test('any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check));
  });
});
