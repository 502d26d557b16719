/** Cutting statements at their literals. */

import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cutStatements, loadParser, type Parser } from '#sql';

let parser: Parser;
beforeAll(async () => {
  parser = await loadParser();
});

function familyOf(text: string): string {
  const statements = cutStatements(text);
  return statements === undefined
    ? 'malformed'
    : statements
        .map(({ family, literals }) => [family, ...literals.map((one) => one.text)].join(' | '))
        .join(' ; ');
}

describe('literals that are values', () => {
  test.each([
    ["select * from t where a = 1 and b = 'x'", 'select * from t where a = $1 and b = $2 | 1 | x'],
    [
      "insert into t values (1, 'a''b'), (2.5, $$c$$)",
      "insert into t values ($1, $2), ($3, $4) | 1 | a'b | 2.5 | c",
    ],
    ['update t set a = a + 1 where id = $1', 'update t set a = a + $2 where id = $1 | 1'],
    ["select E'a\\nb\\'c'", "select $1 | a\nb'c"],
    ['select a from t limit 10 offset 20', 'select a from t limit $1 offset $2 | 10 | 20'],
    [
      "select 'x'::text, array[1, 2], array[[3]]",
      'select $1::text, array[$2, $3], array[[$4]] | x | 1 | 2 | 3',
    ],
    ['select f(1, -2, .5, 1e3)', 'select f($1, -$2, $3, $4) | 1 | 2 | .5 | 1e3'],
    ["select 1 -- '2'\n, /* '3' */ 4", "select $1 -- '2'\n, /* '3' */ $2 | 1 | 4"],
    ['with x as (select 1) select * from x', 'with x as (select $1) select * from x | 1'],
    ['with x as materialized (select 1) table x', 'with x as materialized (select $1) table x | 1'],
    [
      "select a from t where a in (1, 2) and b like 'x%'",
      'select a from t where a in ($1, $2) and b like $3 | 1 | 2 | x%',
    ],
    [
      'select count(*) from t group by a having count(*) > 2',
      'select count(*) from t group by a having count(*) > $1 | 2',
    ],
    [
      'select case 1 when 2 then 3 else 4 end',
      'select case $1 when $2 then $3 else $4 end | 1 | 2 | 3 | 4',
    ],
    ["select a or'x'and b", 'select a or $1 and b | x'],
    ['select a or.5', 'select a or $1 | .5'],
    ['select 1; select 2', 'select $1 | 1 ; select $1 | 2'],
  ])('%p', (text, expected) => {
    expect(familyOf(text)).toBe(expected);
  });
});

describe('literals that belong to the family', () => {
  test.each([
    'select a from t order by 1, 2',
    'select a from t group by 1',
    'select a::varchar(20), b::numeric(10,2), cast(c as character varying(3)) from t',
    'select distinct on (1) a from t',
    "select date '2024-01-01', timestamp with time zone '2024-01-01', interval '1 day'",
    "select extract('year' from a), a at time zone 'UTC' from t",
    'select a[1], a[1:2] from t',
    "select B'101', X'1F', U&'d\\0061t', N'x'",
    "select 'a'\n'b'",
    "select E'\\u0041'",
    'select -2147483648, 9223372036854775808',
    "set a = 'x'",
    "create table t (a text default 'x')",
    'explain select * from t where a = 1',
    'select sum(a) over (order by 1) from t',
    "select 'x' 'y'",
  ])('%p', (text) => {
    const [statement] = cutStatements(text) ?? [];
    const expected = text.startsWith("select 'x'") ? "select $1 'y'" : text;
    expect(statement?.family).toBe(expected);
  });

  test.each(["select 'abc", 'select 1a', 'select "a', 'select $$a', 'select /* a', 'select $1a'])(
    '%p is malformed',
    (text) => {
      expect(familyOf(text)).toBe('malformed');
    },
  );
});

test('statements end at semicolons outside brackets', () => {
  expect(familyOf(' ; begin;; commit ;')).toBe('begin ; commit');
  expect(familyOf('create rule r as on insert to t do (select 1; select 2)')).toBe(
    'create rule r as on insert to t do (select 1; select 2)',
  );
});

test('literals of unlike types have unlike classes', () => {
  const [statement] = cutStatements("select 1, 2147483647, 2147483649, 1.0, 'x'") ?? [];
  expect(statement?.classes).toBe('iilds');
});

test('numbers that float64 does not contain stay in the text', () => {
  const text = 'select 1e400, 1e-400, 0e-400, 0.0, 1e300';
  const [statement] = cutStatements(text) ?? [];
  expect(statement?.literals.map((literal) => literal.text)).toEqual(['0e-400', '0.0', '1e300']);
});

// Statements of all forms: an expression in each place where PostgreSQL takes one.
const literal = fc.oneof(
  fc.integer({ min: 0, max: 9_999_999_999 }).map(String),
  fc.constantFrom(
    '1.5',
    '.25',
    '2.',
    '1e5',
    "'x'",
    "'it''s'",
    "''",
    '$$d$$',
    '$t$ $$ $t$',
    "E'a\\tb'",
    "E'\\\\'",
    'true',
    'null',
  ),
);
const expression = fc.letrec<{ any: string; call: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    literal,
    fc.constantFrom('a', 't.b', '"C d"', '$1', '$2', 'current_date'),
    tie('call'),
  ),
  call: fc.oneof(
    fc
      .tuple(
        tie('any'),
        fc.constantFrom('+', '-', '*', '=', '<>', '||', ' and ', ' like ', ' is distinct from '),
        tie('any'),
      )
      .map(([a, op, b]) => `(${a}${op}${b})`),
    fc
      .tuple(
        tie('any'),
        fc.constantFrom(
          'int',
          'varchar(20)',
          'numeric(10,2)',
          'text[]',
          'double precision',
          'timestamp(3) with time zone',
        ),
      )
      .map(([a, type]) => `(${a})::${type}`),
    fc
      .tuple(tie('any'), fc.constantFrom('varchar(20)', 'pg_catalog.int4', 'bit varying(3)'))
      .map(([a, type]) => `cast(${a} as ${type})`),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `f(${items.join(', ')})`),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `array[${items.join(',')}]`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `case when ${a} then ${b} else -1 end`),
    fc
      .tuple(tie('any'), tie('any'))
      .map(([a, b]) => `a in (${a}, ${b})`)
      .map((text) => `(${text})`),
    tie('any').map((a) => `(select ${a} from t order by 1 limit 3)`),
    tie('any').map((a) => `(-(${a}))`),
    tie('any').map((a) => `(b)[1]-(${a})`),
    tie('any').map((a) => `string_agg(${a}, ', ' order by 2, a)`),
    fc.constantFrom(
      "date '2024-01-01'",
      "interval '1 day'",
      "b'01'",
      "extract('year' from a)",
      "a at time zone 'UTC'",
    ),
    tie('any').map((a) => `sum(${a}) over (partition by 1 order by a rows 3 preceding)`),
    tie('any').map((a) => `substring(${a} from 2 for 3)`),
  ),
})).any;

const statement = fc.oneof(
  fc
    .tuple(expression, expression)
    .map(([a, b]) => `select ${a} as x, ${b} from t where a = ${b} order by 1`),
  fc
    .tuple(expression, expression)
    .map(([a, b]) => `insert into t (a, b) values (${a}, ${b}), (1, 'x') returning ${a}`),
  fc.tuple(expression, expression).map(([a, b]) => `update t set a = ${a} where ${b}`),
  fc
    .tuple(expression, expression)
    .map(
      ([a, b]) =>
        `with x as (select ${a}) select ${b} from x group by 1, a having ${b} limit 5 offset 3`,
    ),
  expression.map((a) => `delete from t where a = ${a}`),
  fc.tuple(expression, expression).map(([a, b]) => `values (${a}), (${b})`),
  expression.map(
    (a) => `select distinct on (1) ${a}, 2 from t join u on ${a} union all select 7 order by 1`,
  ),
);

type Tree = unknown;

/** Returns a tree without locations, with the literals of a family in place of its parameters. */
function restored(tree: Tree, literals: readonly Tree[], from: number): Tree {
  if (Array.isArray(tree)) return tree.map((item) => restored(item, literals, from));
  if (typeof tree !== 'object' || tree === null) return tree;
  const { ParamRef: parameter } = tree as { ParamRef?: { number: number } };
  if (parameter !== undefined && parameter.number > from)
    return literals[parameter.number - from - 1];
  const members = Object.entries(tree).filter(
    ([name]) => !/location$|^(?:rexpr_)?list_(?:start|end)$/.test(name),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name, restored(member, literals, from)]),
  );
}

function treeOf(text: string): Tree {
  const [placed] = parser.statements(text);
  return placed?.statement.kind === 'program' ? placed.statement.node : undefined;
}

function constant(text: string): Tree {
  const tree = restored(treeOf(`select ${text}`), [], 0) as {
    SelectStmt: { targetList: readonly [{ ResTarget: { val: Tree } }] };
  };
  return tree.SelectStmt.targetList[0].ResTarget.val;
}

/** Removes the sign that the parser takes into a constant. */
function unsigned(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(unsigned);
  if (typeof tree !== 'object' || tree === null) return tree;
  const { A_Expr: operation } = tree as {
    A_Expr?: { name: readonly { String: { sval: string } }[]; lexpr?: Tree; rexpr: Tree };
  };
  if (
    operation !== undefined &&
    operation.lexpr === undefined &&
    operation.name[0]?.String.sval === '-'
  ) {
    const { A_Const: inner } = operation.rexpr as {
      A_Const?: { ival?: { ival?: number }; fval?: { fval: string } };
    };
    if (inner?.ival)
      return { A_Const: { ival: inner.ival.ival ? { ival: -inner.ival.ival } : {} } };
    if (inner?.fval) return { A_Const: { fval: { fval: `-${inner.fval.fval}` } } };
  }
  return Object.fromEntries(Object.entries(tree).map(([name, member]) => [name, unsigned(member)]));
}

test('a family with its literals put back has the tree of the statement', () => {
  fc.assert(
    fc.property(statement, (text) => {
      const [cut, ...others] = cutStatements(text) ?? [];
      expect(others).toEqual([]);
      if (cut === undefined) throw new Error('nothing was cut');
      const literals = cut.literals.map(({ kind, text: value }) =>
        constant(kind === 'string' ? `'${value.replaceAll("'", "''")}'` : value),
      );
      const back = restored(treeOf(cut.family), literals, cut.parametersMax);
      expect(unsigned(back)).toEqual(unsigned(restored(treeOf(text), [], 1000)));
    }),
    { numRuns: 2000 },
  );
});

test('statements that differ in literals only have one family', () => {
  const families = [
    "select a from t where b = 1 and c = 'x'",
    "select a from t where b = 22 and c = 'it''s'",
  ].map((text) => cutStatements(text)?.[0]?.family);
  expect(families[0]).toBe(families[1] as string);
});
