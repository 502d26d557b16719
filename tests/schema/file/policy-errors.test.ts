/** Every rule of the section `policies`, broken: the message, and where it points. */

import { describe, expect, test } from 'bun:test';
import { diagnosticLine, parseSchema } from '#schema';

const tables = `tables:
  - id: 1
    name: note
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: owner_id, type: text }
  - id: 2
    name: member
    columns:
      - { id: 1, name: user_id, type: text, pk: true }
      - { id: 2, name: note_id, type: int64 }
`;

/** The errors in `policies`, whose first line is line 1. */
function errorsOf(policies: string): readonly string[] {
  const schema = parseSchema(policies.trimStart() + tables, 'f');
  if (schema.kind === 'schema') return [];
  return schema.errors.map((error) =>
    diagnosticLine(schema.source, error).slice(2).replace('schema validation failed: ', ''),
  );
}

const own =
  '{ kind: binary, op: eq, left: { kind: col, scope: row, column: owner_id }, right: { kind: claim, name: sub } }';

/** A rule for `read` of `note` in line 5. */
const read = (rule: string, claims = '{ sub: text }') => `
policies:
  claims: ${claims}
  tables:
    note:
      read: ${rule}
`;

/** A condition of `note` with these nodes, which begin in line 7, and an `exists` of node `m` in line 6. */
const nodes = (...lines: readonly string[]) => `
policies:
  claims: { sub: text }
  tables:
    note:
      read:
        where: { kind: exists, node: m }
        nodes:
${lines.map((line) => `          ${line}\n`).join('')}`;

test('the examples of this file are right', () => {
  expect(errorsOf(read(own))).toEqual([]);
  expect(errorsOf(nodes('m: { kind: scan, table: member, scope: m }'))).toEqual([]);
  expect(errorsOf('policies: none\n')).toEqual([]);
  expect(errorsOf('')).toEqual([]);
});

describe('the section', () => {
  const hint = 'write `policies: none` to remove all policies, or remove the member to change none';
  const rows: [string, string, string][] = [
    [
      'null',
      'policies:\n',
      `1:10: policies must be a mapping or the word none, not nothing; ${hint}`,
    ],
    [
      'null as a word',
      'policies: null\n',
      `1:11: policies must be a mapping or the word none, not nothing; ${hint}`,
    ],
    [
      'false',
      'policies: false\n',
      `1:11: policies must be a mapping or the word none, not a bool; ${hint}`,
    ],
    [
      'another word',
      'policies: keep\n',
      `1:11: policies must be a mapping or the word none, not text; ${hint}`,
    ],
    [
      'a list',
      'policies: []\n',
      `1:11: policies must be a mapping or the word none, not a list; ${hint}`,
    ],
    [
      'empty',
      'policies: {}\n',
      '1:11: the section policies needs the member "tables"; write `policies: none` to remove all policies',
    ],
    [
      'without tables',
      'policies: { claims: {} }\n',
      '1:11: the section policies needs the member "tables"; write `policies: none` to remove all policies',
    ],
    [
      'with null for tables',
      'policies: { tables: }\n',
      '1:21: tables must be a mapping, not nothing',
    ],
    [
      'with a list of tables',
      'policies: { tables: [] }\n',
      '1:21: tables must be a mapping, not a list',
    ],
    [
      'unknown member',
      'policies: { tables: {}, table: 1 }\n',
      '1:25: unknown member "table" of the section policies; did you mean "tables"?',
    ],
    ['twice', 'policies: none\npolicies: none\n', '2:1: the member "policies" occurs twice'],
    [
      'unknown table',
      'policies: { tables: { notes: {} } }\n',
      '1:23: policies contains the unknown table "notes"; did you mean "note"?',
    ],
    [
      'a table twice',
      'policies: { tables: { note: {}, note: {} } }\n',
      '1:33: the name "note" occurs twice in tables',
    ],
    [
      'a table without entry',
      'policies: { tables: { note: } }\n',
      '1:29: a table policy must be a mapping, not nothing',
    ],
    [
      'a name that is no text',
      'policies: { tables: { 1: {} } }\n',
      '1:23: a name in tables must be text, not an integer; put it in quotes: "1"',
    ],
    [
      'claims without a mapping',
      'policies: { tables: {}, claims: [sub] }\n',
      '1:33: claims must be a mapping, not a list',
    ],
    [
      'unknown type of a claim',
      'policies: { tables: {}, claims: { sub: string } }\n',
      '1:40: sub must be one of text, int64, float64, bool, uuid, ulid, xid, not "string"',
    ],
    [
      'a claim without a type',
      'policies: { tables: {}, claims: { sub: } }\n',
      '1:40: sub must be one of text, int64, float64, bool, uuid, ulid, xid, not nothing',
    ],
    [
      'a claim twice',
      'policies: { tables: {}, claims: { sub: text, sub: int64 } }\n',
      '1:46: the name "sub" occurs twice in claims',
    ],
    [
      'a claim without a name',
      'policies: { tables: {}, claims: { "": text } }\n',
      '1:35: invalid claim identifier: it is empty',
    ],
  ];
  test.each(rows)('%s', (_name, text, expected) => {
    expect(errorsOf(text)).toEqual([expected]);
  });
});

describe('a rule', () => {
  const rows: [string, string, string][] = [
    [
      'unknown action',
      'policies: { tables: { note: { reed: all } } }\n',
      '1:31: unknown member "reed" of a table policy; did you mean "read"?',
    ],
    ['unknown word', read('al'), '5:13: read must be all, not "al"; did you mean "all"?'],
    ['read as itself', read('same_as_read'), '5:13: read must be all, not "same_as_read"'],
    [
      'nothing',
      read(''),
      '5:13: read must be an expression or the word all, not nothing; an action without a rule is permitted for no row',
    ],
    [
      'true',
      read('true'),
      '5:13: read must be an expression or the word all, not a bool; an action without a rule is permitted for no row',
    ],
    ['empty', read('{}'), '5:13: a policy condition needs the member "where"'],
    [
      'the same as nothing',
      'policies: { tables: { note: { create: same_as_read } } }\n',
      '1:39: create is the same as read, but table "note" has no rule for read; remove create to permit it for no row',
    ],
    [
      'another word for create',
      'policies: { tables: { note: { read: all, create: same } } }\n',
      '1:50: create must be one of all, same_as_read, not "same"',
    ],
  ];
  test.each(rows)('%s', (_name, text, expected) => {
    expect(errorsOf(text)).toEqual([expected]);
  });
});

describe('an expression', () => {
  const lit = '{ kind: lit, value: { type: bool, value: true } }';
  const rows: [string, string, string][] = [
    [
      'unknown kind',
      '{ kind: column, scope: row, column: id }',
      '5:21: kind must be one of lit, col, claim, unary, binary, cast, coalesce, text_match, exists, not "column"',
    ],
    [
      'no mapping',
      '{ kind: unary, op: not, expr: x }',
      '5:43: the expression must be a mapping, not text',
    ],
    [
      'no kind',
      '{ kind: unary, op: not, expr: { op: not } }',
      '5:43: the expression needs the member "kind"; its kinds are lit, col, claim, unary, binary, cast, coalesce, text_match, exists',
    ],
    [
      'missing member',
      '{ kind: col, scope: row }',
      '5:13: a col expression needs the member "column"',
    ],
    [
      'unknown member',
      '{ kind: claim, nam: sub, name: sub }',
      '5:28: unknown member "nam" of a claim expression; did you mean "name"?',
    ],
    [
      'branch',
      '{ kind: branch, branches: [] }',
      '5:21: kind must be one of lit, col, claim, unary, binary, cast, coalesce, text_match, exists, not "branch"; write the cases with `and`, `or` and `not`',
    ],
    [
      'scalar',
      '{ kind: scalar, node: m }',
      '5:21: kind must be one of lit, col, claim, unary, binary, cast, coalesce, text_match, exists, not "scalar"; use one `exists` with a filter',
    ],
    [
      'arithmetic',
      `{ kind: binary, op: add, left: ${lit}, right: ${lit} }`,
      '5:33: op must be one of eq, ne, lt, lte, gt, gte, and, or, not "add"; a policy must not be able to fail, and arithmetic can overflow',
    ],
    [
      'unknown operator',
      `{ kind: unary, op: nor, expr: ${lit} }`,
      '5:32: op must be one of not, is_null, is_not_null, negate, not "nor"; did you mean "not"?',
    ],
    [
      'a number as a literal',
      '{ kind: lit, value: { type: int64, value: 1 } }',
      '5:55: value must be text, not an integer; put it in quotes: "1"',
    ],
    [
      'a text as a bool',
      '{ kind: lit, value: { type: bool, value: "true" } }',
      '5:54: value must be true or false, not text',
    ],
    ['one value', `{ kind: coalesce, args: [${lit}] }`, '5:37: args needs at least two items'],
    ['no values', '{ kind: coalesce, args: [] }', '5:37: args needs at least two items'],
    ['no list', '{ kind: coalesce, args: x }', '5:37: args must be a list, not "x"'],
    [
      'no parts',
      `{ kind: text_match, value: ${lit}, parts: [] }`,
      '5:98: parts needs at least one item',
    ],
    [
      'empty part',
      `{ kind: text_match, value: ${lit}, parts: [{ kind: literal, value: "" }] }`,
      '5:123: the text of a part must not be empty',
    ],
    [
      'unknown part',
      `{ kind: text_match, value: ${lit}, parts: [{ kind: any }] }`,
      '5:107: kind must be one of literal, any_many, not "any"',
    ],
    [
      'unknown comparison',
      `{ kind: text_match, value: ${lit}, parts: [{ kind: any_many }], comparison: exat }`,
      '5:132: comparison must be one of exact, unicode_simple_fold, not "exat"; did you mean "exact"?',
    ],
    [
      'unknown scope',
      '{ kind: col, scope: rw, column: id }',
      '5:33: unknown scope "rw"; did you mean "row"?',
    ],
    [
      'unknown column',
      '{ kind: col, scope: row, column: owner }',
      '5:46: table "note" has no column "owner"',
    ],
    [
      'nearly a column',
      '{ kind: col, scope: row, column: owner_d }',
      '5:46: table "note" has no column "owner_d"; did you mean "owner_id"?',
    ],
    [
      'unknown claim',
      '{ kind: claim, name: user }',
      '5:34: unknown claim "user"; declare it in policies.claims, such as `user: text`',
    ],
    [
      'nearly a claim',
      '{ kind: claim, name: sup }',
      '5:34: unknown claim "sup"; did you mean "sub"?',
    ],
    ['exists of nothing', '{ kind: exists, node: m }', '5:35: unknown node "m"'],
  ];
  test.each(rows)('%s', (_name, rule, expected) => {
    expect(errorsOf(read(rule))).toEqual([expected]);
  });

  test('more than 64 parts', () => {
    const ands = (count: number): string =>
      count === 1 ? lit : `{ kind: binary, op: and, left: ${lit}, right: ${ands(count - 1)} }`;
    expect(errorsOf(read(`{ kind: unary, op: not, expr: ${ands(32)} }`))).toEqual([]);
    const shown = errorsOf(read(ands(33)));
    expect(shown).toEqual([
      expect.stringMatching(/^5:\d+: a condition has at most 64 expressions and nodes$/),
    ]);
  });

  test('64 levels in the block form', () => {
    const levels = Array.from({ length: 63 }, (_, i) => {
      const indent = ' '.repeat(8 + i);
      return `\n${indent}kind: unary\n${indent}op: not\n${indent}expr:`;
    }).join('');
    const last = `\n${' '.repeat(80)}kind: lit\n${' '.repeat(80)}value: { type: bool, value: true }`;
    expect(errorsOf(read(levels + last))).toEqual([]);
  });
});

describe('nodes', () => {
  const scan = 'm: { kind: scan, table: member, scope: m }';
  const yes = '{ kind: lit, value: { type: bool, value: true } }';
  const rows: [string, readonly string[], string][] = [
    [
      'another kind',
      ['m: { kind: aggregate, input: n }'],
      '8:22: kind must be one of scan, filter, join, not "aggregate"; an `exists` reads scans, filters and inner joins, so each column belongs to one table',
    ],
    [
      'unknown table',
      ['m: { kind: scan, table: membr, scope: m }'],
      '8:35: unknown table "membr"; did you mean "member"?',
    ],
    [
      'label of the row',
      ['m: { kind: scan, table: member, scope: row }'],
      '8:50: the label "row" is reserved for the row itself; choose another label',
    ],
    [
      'empty label',
      ['m: { kind: scan, table: member, scope: "" }'],
      '8:50: invalid scope identifier: it is empty',
    ],
    [
      'unknown input',
      [`m: { kind: filter, input: s, predicate: ${yes} }`],
      '8:37: unknown node "s"; did you mean "m"?',
    ],
    [
      'a cycle',
      [`m: { kind: filter, input: m, predicate: ${yes} }`],
      '8:37: the node "m" reads itself',
    ],
    [
      'unused',
      [scan, 'n: { kind: scan, table: note, scope: n }'],
      '9:11: the exists of the condition does not use the node "n"',
    ],
    [
      'left join',
      [
        `m: { kind: join, left: s, right: t, join: left, on: ${yes} }`,
        's: { kind: scan, table: note, scope: s }',
        't: { kind: scan, table: note, scope: t }',
      ],
      '8:53: join must be inner, not "left"; only inner joins are possible here',
    ],
    [
      'one label for two scans',
      [
        `m: { kind: join, left: s, right: t, join: inner, on: ${yes} }`,
        's: { kind: scan, table: note, scope: s }',
        't: { kind: scan, table: note, scope: s }',
      ],
      '10:48: the label "s" is used twice',
    ],
    [
      'one node for two',
      [
        `m: { kind: join, left: s, right: s, join: inner, on: ${yes} }`,
        's: { kind: scan, table: note, scope: s }',
      ],
      '8:44: the node "s" is used twice; write a second node with another label',
    ],
    [
      'exists in a node',
      [
        'm: { kind: filter, input: s, predicate: { kind: exists, node: s } }',
        's: { kind: scan, table: note, scope: s }',
      ],
      '8:51: exists is only possible in where, not in a node; use a join',
    ],
    [
      'a label above its scan',
      [
        `m: { kind: join, left: f, right: t, join: inner, on: ${yes} }`,
        'f: { kind: filter, input: s, predicate: { kind: col, scope: t, column: id } }',
        's: { kind: scan, table: note, scope: s }',
        't: { kind: scan, table: note, scope: t }',
      ],
      '9:71: unknown scope "t"; did you mean "s"?',
    ],
  ];
  test.each(rows)('%s', (_name, lines, expected) => {
    expect(errorsOf(nodes(...lines))).toEqual([expected]);
  });

  test('the label of a scan is unknown in where', () => {
    const where =
      '{ kind: binary, op: and, left: { kind: exists, node: m }, right: { kind: col, scope: m, column: id } }';
    const text = nodes(scan).replace('{ kind: exists, node: m }', where);
    expect(errorsOf(text)).toEqual(['6:101: unknown scope "m"; the labels here are row']);
  });

  test('a second exists', () => {
    const both =
      '{ kind: binary, op: and, left: { kind: exists, node: m }, right: { kind: exists, node: n } }';
    const text = nodes(scan, 'n: { kind: scan, table: note, scope: n }');
    expect(errorsOf(text.replace('{ kind: exists, node: m }', both))).toEqual([
      '6:81: a condition has at most one exists; combine the tables by a join below one exists',
    ]);
  });

  test('nodes without an exists', () => {
    const text = nodes(scan).replace('{ kind: exists, node: m }', yes);
    expect(errorsOf(text)).toEqual(['8:11: the exists of the condition does not use the node "m"']);
  });
});

describe('types, which the planner checks', () => {
  const rows: [string, string, string][] = [
    [
      'no condition',
      '{ kind: col, scope: row, column: id }',
      '5:13: the condition of a policy must be boolean, got int64',
    ],
    [
      'other types',
      '{ kind: binary, op: eq, left: { kind: col, scope: row, column: id }, right: { kind: claim, name: sub } }',
      '5:13: eq does not compare int64 with text',
    ],
    [
      'a text that is no number',
      '{ kind: binary, op: eq, left: { kind: col, scope: row, column: id }, right: { kind: lit, value: { type: int64, value: x } } }',
      '5:89: expected a decimal integer in the range of int64',
    ],
    [
      'a claim as an id',
      '{ kind: binary, op: eq, left: { kind: col, scope: row, column: id }, right: { kind: cast, expr: { kind: claim, name: sub }, to: int64 } }',
      '5:89: cannot cast text to int64',
    ],
    [
      'what can fail',
      '{ kind: unary, op: is_null, expr: { kind: unary, op: negate, expr: { kind: col, scope: row, column: id } } }',
      '5:13: the condition of a policy must not be able to fail, as the negation of an int64 and the cast of a float64 to int64 can',
    ],
    [
      'a match of a number',
      '{ kind: text_match, value: { kind: col, scope: row, column: id }, parts: [{ kind: any_many }] }',
      '5:13: text_match needs a text, got int64',
    ],
  ];
  test.each(rows)('%s', (_name, rule, expected) => {
    expect(errorsOf(read(rule))).toEqual([expected]);
  });

  test('within a node', () => {
    const filter = 'm: { kind: filter, input: s, predicate: { kind: col, scope: s, column: id } }';
    expect(errorsOf(nodes(filter, 's: { kind: scan, table: note, scope: s }'))).toEqual([
      '8:51: filter predicate must be boolean, got int64',
    ]);
  });

  test('one error for each rule', () => {
    const id = '{ kind: col, scope: row, column: id }';
    const text = `policies: { tables: { note: { read: ${id}, create: ${id} }, member: { read: { kind: col, scope: row, column: user_id } } } }\n`;
    expect(errorsOf(text)).toEqual([
      '1:37: the condition of a policy must be boolean, got int64',
      '1:84: the condition of a policy must be boolean, got int64',
      '1:141: the condition of a policy must be boolean, got text',
    ]);
  });
});

test('all errors are reported, those of the tables as well', () => {
  const text = `${read('{ kind: claim, name: x }').trimStart()}      create: nobody\n${tables.replace('type: int64', 'type: int')}`;
  const schema = parseSchema(text, 'f');
  expect(schema.kind === 'broken' && schema.errors.map(({ line }) => line)).toEqual([5, 6, 11]);
});
