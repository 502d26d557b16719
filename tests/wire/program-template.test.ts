/** Parameters of a body that differs from the checked one in its gaps only: what each kind of gap takes, and what it does not. */

import { describe, expect, test } from 'bun:test';
import type { Literal, RowsNode, SliceNode, TextPart } from '#lir';
import { ProgramTemplate, TemplateTrie } from '#wire';

type Origin = ConstructorParameters<typeof ProgramTemplate>[0];

/** Reads other bodies by the template of `body`: their parameters, or undefined where they need the full path. */
function reader(origin: Origin) {
  const template = new ProgramTemplate(origin);
  const trie = new TemplateTrie<ProgramTemplate>();
  trie.add(template.text, template);
  return (body: string) => trie.find(body, (it, texts) => it.read(texts));
}

const literalOf = (type: string, value: string) => ({ type, value }) as unknown as Literal;

/** `{"type":…,"value":…}` alone, adopted as each of `wanted`. */
function literalReader(type: string, value: string, ...wanted: readonly string[]) {
  const literal = literalOf(type, value);
  const body = JSON.stringify(literal);
  const read = reader({
    ...{ body, document: literal },
    sources: wanted.map((each) => ({ kind: 'literal', literal, type: each as 'int64' })),
    parameters: wanted.map(() => null),
  });
  return (text: string) => read(body.replace(`"value":"${value}"`, `"value":"${text}"`));
}

describe('a literal', () => {
  test.each([
    [
      'int64',
      'int64',
      [
        ['-7', -7],
        ['9223372036854775807', 2n ** 63n - 1n],
      ],
      ['', 'a', '1.5', '9223372036854775808', '1e3'],
    ],
    // An integer that meets floats is written as an integer still.
    [
      'int64',
      'float64',
      [
        ['-7', -7],
        ['0', 0],
      ],
      ['1.5', '1e3', ''],
    ],
    [
      'float64',
      'float64',
      [
        ['1.5', 1.5],
        ['1e3', 1000],
      ],
      ['a', ''],
    ],
    [
      'text',
      'text',
      [
        ['', ''],
        ['1', '1'],
      ],
      [],
    ],
  ] as const)('of %s that is wanted as %s', (type, wanted, values, refused) => {
    const read = literalReader(type, 'start', wanted);
    for (const [text, value] of values) expect(read(text)?.map(Number)).toEqual([Number(value)]);
    for (const text of refused) expect(read(text)).toBeUndefined();
  });

  test('feeds all parameters that were made of it', () => {
    const read = literalReader('int64', '1', 'int64', 'float64', 'int64');
    expect(read('5')?.map(Number)).toEqual([5, 5, 5]);
    expect(read('x')).toBeUndefined();
    // Beyond 2^53 an integer is one, and the float beside it is the nearest.
    const [integer, float] = read('9007199254740993') ?? [];
    expect([String(integer), String(float)]).toEqual(['9007199254740993', '9007199254740992']);
  });

  test('that feeds two parameters stands between others', () => {
    const [a, b, c] = ['1', '2', '3'].map((value) => literalOf('int64', value)) as [
      Literal,
      Literal,
      Literal,
    ];
    const document = [a, b, c];
    const source = (literal: Literal) => ({ kind: 'literal', literal, type: 'int64' }) as const;
    const read = reader({
      ...{ body: JSON.stringify(document), document },
      sources: [source(c), source(b), undefined, source(a), source(b)],
      parameters: [3, 2, 'kept', 1, 2],
    });
    const other = JSON.stringify(['10', '20', '30'].map((value) => literalOf('int64', value)));
    expect(read(other)?.map(String)).toEqual(['30', '20', 'kept', '10', '20']);
  });
});

describe('a count', () => {
  const node = { kind: 'slice', input: 'n', offset: 3, limit: 10 } as unknown as SliceNode;
  const body = JSON.stringify(node);
  const count = (member: 'offset' | 'limit', from: number, to: number) =>
    ({ kind: 'count', node, member, from, to }) as const;

  test('stays within its class, both ends included', () => {
    const read = reader({
      ...{ body, document: node },
      sources: [count('limit', 1, 100), count('offset', 0, 5)],
      parameters: [10, 3],
    });
    const page = (offset: number, limit: number) => JSON.stringify({ ...node, offset, limit });
    expect(read(page(0, 1))).toEqual([1, 0]);
    expect(read(page(5, 100))).toEqual([100, 5]);
    expect(read(page(6, 50))).toBeUndefined();
    expect(read(page(5, 0))).toBeUndefined();
    expect(read(page(5, 101))).toBeUndefined();
  });

  test('that is not written in digits alone stays as it is', () => {
    const spelled = body.replace('"limit":10', '"limit":1e1');
    const read = reader({
      ...{ body: spelled, document: node },
      sources: [count('limit', 1, 100), count('offset', 0, 5)],
      parameters: [10, 3],
    });
    expect(read(spelled.replace('"offset":3', '"offset":4'))).toEqual([10, 4]);
    expect(read(JSON.stringify(node))).toBeUndefined();
  });
});

test('a part of a pattern is any text but the empty one', () => {
  const part = { kind: 'literal', value: 'a' } as TextPart;
  const body = JSON.stringify(part);
  const sources = [{ kind: 'text_part', part }] as const;
  const read = reader({ body, document: part, sources, parameters: ['a'] });
  expect(read(body.replace('"a"', '"xyz"'))).toEqual(['xyz']);
  expect(read(body.replace('"a"', '""'))).toBeUndefined();
});

describe('rows', () => {
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: [
      { name: 'n', type: 'int64', nullable: false },
      { name: 't', type: 'text', nullable: true },
    ],
    rows: [
      ['1', 'one'],
      ['2', null],
    ],
  } as unknown as RowsNode;
  const rows = [
    [1, 'one'],
    [2, null],
  ];
  const body = JSON.stringify(node);
  const read = reader({
    ...{ body, document: node, sources: [{ kind: 'rows', node }] },
    parameters: [rows],
  });
  const withRows = (cells: readonly (readonly (string | null)[])[]) =>
    JSON.stringify({ ...node, rows: cells });

  test('are read cell by cell, by the types of their columns, and NULL stays where it is', () => {
    const other = withRows([
      ['7', ''],
      ['-8', null],
    ]);
    const [found] = read(other) as unknown as [readonly unknown[][]];
    expect(found.map(([n, t]) => [Number(n), t])).toEqual([
      [7, ''],
      [-8, null],
    ]);
  });

  test('of one body are not those of another one', () => {
    const first = read(
      withRows([
        ['7', 'a'],
        ['8', null],
      ]),
    );
    read(
      withRows([
        ['9', 'b'],
        ['10', null],
      ]),
    );
    expect(String(first)).toBe('7,a,8,');
    expect(rows).toEqual([
      [1, 'one'],
      [2, null],
    ]);
  });

  test('need the full path with a cell that is no value, another number of rows, or NULL elsewhere', () => {
    const others = [
      [
        ['x', 'a'],
        ['8', null],
      ],
      [
        ['7', 'a'],
        ['', null],
      ],
      [['7', 'a']],
      [
        ['7', 'a'],
        ['8', null],
        ['9', null],
      ],
      [
        ['7', null],
        ['8', null],
      ],
      [
        ['7', 'a'],
        ['8', 'b'],
      ],
    ];
    for (const each of others) expect(read(withRows(each))).toBeUndefined();
  });
});

test('another text of the document is filled with the same texts, wherever they stand in it', () => {
  const [a, b] = [literalOf('text', 'one'), literalOf('text', 'two')];
  const document = { second: b, first: a };
  const template = new ProgramTemplate({
    ...{
      body: '{"second": {"value":"two","type":"text"}, "first": {"type":"text","value":"one"}}',
    },
    document,
    sources: [a, b].map((literal) => ({ kind: 'literal', literal, type: 'text' })),
    parameters: ['one', 'two'],
    shown: '{"first":{"type":"text","value":"one"},"second":{"type":"text","value":"two"}}',
  });
  // Texts of gaps come in the order of the body.
  expect(template.shownText('unused', ['TWO', 'ONE'])).toBe(
    '{"first":{"type":"text","value":"ONE"},"second":{"type":"text","value":"TWO"}}',
  );
  const same = new ProgramTemplate({ body: '{}', document: {}, sources: [], parameters: [] });
  expect(same.shownText('the body', [])).toBe('the body');
});
