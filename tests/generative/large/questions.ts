/** Questions of large tables, each with its answer by the reference. */

import type { Scalar } from '#value';
import type { Draw } from './choices.ts';
import {
  type ColumnName,
  columnNames,
  columnOf,
  type LargeRow,
  type LargeTable,
  textOf,
} from './data.ts';
import { binary, col, lit, type Predicate, predicateOf } from './predicate.ts';
import {
  compare,
  count,
  extreme,
  groupsOf,
  identityOf,
  joinable,
  keyOf,
  sorted,
  sum,
  type Term,
} from './reference.ts';

/** A cell, or the rows of a nested array. */
export type Cell = Scalar | readonly (readonly Scalar[])[];

export interface Question {
  readonly shape: string;
  readonly nodes: Readonly<Record<string, object>>;
  /** The rows in order, or why there are none. */
  readonly expected: readonly (readonly Cell[])[] | { readonly refused: string };
  /** Equal rows became one: of a zero either sign may remain. */
  readonly collapses: boolean;
}

/** Undefined: nothing to ask, as its answer would be too large. */
type Shape = (draw: Draw, l: LargeTable, r: LargeTable) => Question | undefined;

const pairsMax = 300_000;

export function questionOf(draw: Draw, l: LargeTable, r: LargeTable): Question {
  for (;;) {
    const shape = draw.pick(shapes);
    const question = draw.oneIn(4) ? shape(draw, r, l) : shape(draw, l, r);
    if (question !== undefined) return question;
  }
}

const shapes: readonly Shape[] = [
  folds,
  groups,
  groups,
  distinctRows,
  distinctCount,
  joins,
  joins,
  joins,
  exists,
  exists,
  sorts,
  sorts,
  unions,
  differences,
  nested,
  listedKeys,
  raising,
  raising,
];

interface Start {
  readonly nodes: Record<string, object>;
  /** The last node. */
  readonly input: string;
  readonly rows: readonly LargeRow[];
}

/** All rows of a table, or some. */
function start(draw: Draw, table: LargeTable, scope: string, filters = !draw.oneIn(3)): Start {
  const scan = `${scope}_scan`;
  const nodes: Record<string, object> = { [scan]: { kind: 'scan', table: table.name, scope } };
  if (!filters) return { nodes, input: scan, rows: table.rows };
  const predicate = predicateOf(draw, table, scope);
  return filtered({ nodes, input: scan, rows: table.rows }, `${scope}_some`, predicate);
}

function filtered({ nodes, input, rows }: Start, name: string, { expr, test }: Predicate): Start {
  return {
    nodes: { ...nodes, [name]: { kind: 'filter', input, predicate: expr } },
    input: name,
    rows: rows.filter(test),
  };
}

const fold = (fn: string, as: string, scope?: string, column?: string) => ({
  fn,
  as,
  ...(scope !== undefined && column !== undefined && { arg: col(scope, column) }),
});

const fieldsOf = (scope: string, names: readonly string[], as = (name: string) => name) =>
  names.map((name) => ({ as: as(name), expr: col(scope, name) }));

const ordered = (input: string, scope: string, columns: readonly string[]) => ({
  kind: 'order',
  input,
  terms: columns.map((column) => ({ expr: col(scope, column) })),
});

/** Of all rows at once. */
function folds(draw: Draw, l: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const column = draw.pick(columnNames);
  const aggs = [
    fold('count', 'n'),
    fold('count', 'some', 'a', column),
    fold('min', 'least', 'a', column),
    fold('max', 'most', 'a', column),
    fold('sum', 'total', 'a', 's'),
  ];
  const answer = [
    rows.length,
    count(rows, column),
    extreme(rows, column, 1),
    extreme(rows, column, -1),
    sum(rows, 's'),
  ];
  return {
    shape: 'folds',
    nodes: {
      ...nodes,
      g: { kind: 'aggregate', input, scope: 'g', aggs },
      o: ordered('g', 'g', ['n']),
    },
    expected: [answer],
    collapses: true,
  };
}

/** One or two columns to tell groups apart by. */
function keyColumns(draw: Draw): ColumnName[] {
  return draw.pick<ColumnName[]>([
    ['k'],
    ['w'],
    ['f'],
    ['f'],
    ['t'],
    ['s'],
    ['id'],
    ['s', 'k'],
    ['f', 't'],
    ['w', 'f'],
    ['t', 'k'],
  ]);
}

function groups(draw: Draw, l: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const keys = keyColumns(draw);
  const other = draw.pick(columnNames);
  const limit = draw.pick([undefined, undefined, 10, 2_000]);
  const byTotal = limit !== undefined && draw.oneIn(2);
  const having = draw.oneIn(4);
  const aggs = [
    fold('count', 'n'),
    fold('count', 'some', 'a', other),
    fold('min', 'least', 'a', other),
    fold('max', 'most', 'a', other),
    fold('sum', 'total', 'a', 's'),
  ];
  const answers = [...groupsOf(rows, keys).values()].map((group) => ({
    keys: keys.map((name) => (group[0] as LargeRow)[name]),
    cells: [
      group.length,
      count(group, other),
      extreme(group, other, 1),
      extreme(group, other, -1),
      sum(group, 's'),
    ],
  }));
  const kept = having ? answers.filter(({ cells }) => (cells[0] as number) > 1) : answers;
  kept.sort((a, b) => {
    const first = byTotal ? compare(b.cells[4] ?? null, a.cells[4] ?? null) : 0;
    return first || compareLists(a.keys, b.keys);
  });
  const one = lit('s', 1);
  return {
    shape: `groups by ${keys.join()}`,
    nodes: {
      ...nodes,
      g: {
        kind: 'aggregate',
        input,
        scope: 'g',
        groups: keys.map((name) => ({ expr: col('a', name), as: `key_${name}` })),
        aggs,
      },
      ...(having && {
        h: { kind: 'filter', input: 'g', predicate: binary('gt', col('g', 'n'), one) },
      }),
      o: {
        kind: 'order',
        input: having ? 'h' : 'g',
        terms: [
          ...(byTotal ? [{ expr: col('g', 'total'), desc: true }] : []),
          ...keys.map((name) => ({ expr: col('g', `key_${name}`) })),
        ],
      },
      ...(limit !== undefined && { z: { kind: 'slice', input: 'o', limit } }),
    },
    expected: kept.slice(0, limit).map(({ keys: own, cells }) => [...own, ...cells]),
    collapses: true,
  };
}

function compareLists(a: readonly Scalar[], b: readonly Scalar[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compare(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function distinctRows(draw: Draw, l: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const keys = keyColumns(draw);
  const found = [...groupsOf(rows, keys).values()].map((group) =>
    keys.map((name) => (group[0] as LargeRow)[name]),
  );
  return {
    shape: `distinct ${keys.join()}`,
    nodes: {
      ...nodes,
      p: { kind: 'project', input, scope: 'p', fields: fieldsOf('a', keys) },
      d: { kind: 'distinct', input: 'p' },
      o: ordered('d', 'p', keys),
    },
    expected: found.sort(compareLists),
    collapses: true,
  };
}

/** How many values of one column each value of another one has. */
function distinctCount(draw: Draw, l: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const [of] = keyColumns(draw) as [ColumnName];
  const by = draw.pick(columnNames.filter((name) => name !== of));
  const found = [...groupsOf(rows, [by]).values()].map((group) => [
    (group[0] as LargeRow)[by],
    groupsOf(joinable(group, [of]), [of]).size,
  ]);
  return {
    shape: `count of distinct ${of} by ${by}`,
    nodes: {
      ...nodes,
      p: { kind: 'project', input, scope: 'p', fields: fieldsOf('a', [by, of]) },
      d: { kind: 'distinct', input: 'p' },
      g: {
        kind: 'aggregate',
        input: 'd',
        scope: 'g',
        groups: [{ expr: col('p', by) }],
        aggs: [fold('count', 'n', 'p', of)],
      },
      o: ordered('g', 'g', [by]),
    },
    expected: found.sort(compareLists),
    collapses: true,
  };
}

/** Columns of the left side, and those of the right one that equal them. */
type Pairing = readonly (readonly [ColumnName, ColumnName])[];

const pairings: readonly Pairing[] = [
  [['k', 'k']],
  [['w', 'w']],
  [['f', 'f']],
  [['f', 'f']],
  [['t', 't']],
  [['id', 'id']],
  [['k', 'id']],
  [['s', 's']],
  [
    ['s', 's'],
    ['k', 'k'],
  ],
  [
    ['s', 's'],
    ['id', 'id'],
  ],
  [
    ['t', 't'],
    ['f', 'f'],
  ],
];

function conditionOf(pairing: Pairing, left: string, right: string): object {
  return pairing
    .map(([a, b]) => binary('eq', col(left, a), col(right, b)))
    .reduce((a, b) => binary('and', a, b));
}

/** Rows of the right side by those of the left. */
function matcher(pairing: Pairing, right: readonly LargeRow[]) {
  const lefts = pairing.map(([name]) => name);
  const rights = pairing.map(([, name]) => name);
  const held = groupsOf(joinable(right, rights), rights);
  return (row: LargeRow): readonly LargeRow[] =>
    lefts.some((name) => row[name] === null) ? [] : (held.get(keyOf(row, lefts)) ?? []);
}

function joins(draw: Draw, l: LargeTable, r: LargeTable): Question | undefined {
  const left = start(draw, l, 'a', !draw.oneIn(3));
  const right = start(draw, r, 'b', draw.oneIn(2));
  const pairing = draw.pick(pairings);
  const join = draw.pick(['inner', 'inner', 'left'] as const);
  const matching = matcher(pairing, right.rows);
  let pairs = 0;
  for (const row of left.rows) pairs += matching(row).length;
  if (pairs > pairsMax) return undefined;
  const found: (readonly [LargeRow, LargeRow | undefined])[] = [];
  for (const row of left.rows) {
    const own = matching(row);
    for (const other of own) found.push([row, other]);
    if (own.length === 0 && join === 'left') found.push([row, undefined]);
  }
  const nodes = {
    ...left.nodes,
    ...right.nodes,
    j: {
      kind: 'join',
      left: left.input,
      right: right.input,
      join,
      on: conditionOf(pairing, 'a', 'b'),
    },
  };
  const shape = `${join} join by ${pairing.join(' and ')}`;
  if (draw.oneIn(2)) {
    const aggs = [
      fold('count', 'n'),
      fold('count', 'met', 'b', 'id'),
      fold('sum', 'mine', 'a', 's'),
      fold('sum', 'theirs', 'b', 'id'),
    ];
    const met = found.flatMap(([, other]) => (other === undefined ? [] : [other]));
    const mine = found.map(([own]) => own);
    return {
      shape: `${shape}, folded`,
      nodes: {
        ...nodes,
        g: { kind: 'aggregate', input: 'j', scope: 'g', aggs },
        o: ordered('g', 'g', ['n']),
      },
      expected: [[found.length, met.length, sum(mine, 's'), sum(met, 'id')]],
      collapses: true,
    };
  }
  const limit = draw.pick([undefined, 10, 1_500]);
  const desc = draw.oneIn(2);
  const sign = desc ? -1 : 1;
  found.sort(
    ([a, b], [c, d]) =>
      sign * ((a['id'] as number) - (c['id'] as number)) || compare(b?.id ?? null, d?.id ?? null),
  );
  return {
    shape: `${shape}, in order`,
    nodes: {
      ...nodes,
      o: {
        kind: 'order',
        input: 'j',
        terms: [{ expr: col('a', 'id'), desc }, { expr: col('b', 'id') }],
      },
      ...(limit !== undefined && { z: { kind: 'slice', input: 'o', limit } }),
      p: {
        kind: 'project',
        input: limit === undefined ? 'o' : 'z',
        fields: [
          ...fieldsOf('a', ['id', 'f', 't'], (name) => `a_${name}`),
          ...fieldsOf('b', ['id', 'w', 't'], (name) => `b_${name}`),
        ],
      },
    },
    expected: found
      .slice(0, limit)
      .map(([a, b]) => [a.id, a.f, a.t, b?.id ?? null, b?.w ?? null, b?.t ?? null]),
    collapses: false,
  };
}

/** Rows for which others exist, or do not; the last node is a filter. */
function existing(draw: Draw, left: Start, r: LargeTable): Start {
  const right = start(draw, r, 'b', draw.oneIn(2));
  const pairing = draw.pick(pairings);
  const isNegated = draw.oneIn(2);
  const matching = matcher(pairing, right.rows);
  const inner = conditionOf(pairing, 'a', 'b');
  const test = { kind: 'exists', node: 'e' };
  return {
    nodes: {
      ...left.nodes,
      ...right.nodes,
      e: { kind: 'filter', input: right.input, predicate: inner },
      x: {
        kind: 'filter',
        input: left.input,
        predicate: isNegated ? { kind: 'unary', op: 'not', expr: test } : test,
      },
    },
    input: 'x',
    rows: left.rows.filter((row) => matching(row).length > 0 !== isNegated),
  };
}

function exists(draw: Draw, l: LargeTable, r: LargeTable): Question {
  const { nodes, input, rows } = existing(draw, start(draw, l, 'a'), r);
  const limit = draw.pick([undefined, 20]);
  const kept = sorted(rows, [{ column: 'id', desc: false }]).slice(0, limit);
  return {
    shape: 'exists',
    nodes: {
      ...nodes,
      o: ordered(input, 'a', ['id']),
      ...(limit !== undefined && { z: { kind: 'slice', input: 'o', limit } }),
      p: {
        kind: 'project',
        input: limit === undefined ? 'o' : 'z',
        fields: fieldsOf('a', ['id', 'f']),
      },
    },
    expected: kept.map((row) => [row.id, row.f]),
    collapses: false,
  };
}

function sorts(draw: Draw, l: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const chosen = keyColumns(draw).filter((name) => name !== 'id');
  const terms: Term[] = [...chosen, 'id' as const].map((column) => ({
    column,
    desc: draw.oneIn(2),
  }));
  const limit = draw.pick([undefined, 3, 25, 9_000]);
  const offset = draw.pick([0, 0, 7, 8_200]);
  const slice = { ...(limit !== undefined && { limit }), ...(offset > 0 && { offset }) };
  const isCut = limit !== undefined || offset > 0;
  const end = limit === undefined ? undefined : offset + limit;
  return {
    shape: `sort by ${chosen.join()}`,
    nodes: {
      ...nodes,
      o: {
        kind: 'order',
        input,
        terms: terms.map(({ column, desc }) => ({ expr: col('a', column), desc })),
      },
      ...(isCut && { z: { kind: 'slice', input: 'o', ...slice } }),
    },
    expected: sorted(rows, terms)
      .slice(offset, end)
      .map((row) => columnNames.map((name) => row[name])),
    collapses: false,
  };
}

/** Two lists of the same columns. */
function sides(draw: Draw, l: LargeTable, r: LargeTable) {
  const left = start(draw, l, 'a');
  const right = start(draw, r, 'b');
  const columns = keyColumns(draw);
  const nodes = {
    ...left.nodes,
    ...right.nodes,
    p: { kind: 'project', input: left.input, fields: fieldsOf('a', columns) },
    q: { kind: 'project', input: right.input, fields: fieldsOf('b', columns) },
  };
  return { nodes, columns, left: left.rows, right: right.rows };
}

const sortedCells = (columns: readonly ColumnName[], rows: readonly LargeRow[]) =>
  rows.map((row) => columns.map((name) => row[name])).sort(compareLists);

function unions(draw: Draw, l: LargeTable, r: LargeTable): Question {
  const { nodes, columns, left, right } = sides(draw, l, r);
  const isDistinct = draw.oneIn(2);
  const both = [...left, ...right];
  const kept = isDistinct
    ? [...groupsOf(both, columns).values()].map(([first]) => first as LargeRow)
    : both;
  return {
    shape: `union of ${columns.join()}`,
    nodes: {
      ...nodes,
      c: { kind: 'concatenate', inputs: ['p', 'q'], scope: 'c' },
      ...(isDistinct && { d: { kind: 'distinct', input: 'c' } }),
      o: ordered(isDistinct ? 'd' : 'c', 'c', columns),
    },
    expected: sortedCells(columns, kept),
    // Zeros of both signs are equal, and come in any order.
    collapses: true,
  };
}

function differences(draw: Draw, l: LargeTable, r: LargeTable): Question {
  const { nodes, columns, left, right } = sides(draw, l, r);
  const kind = draw.pick(['except', 'intersect'] as const);
  const quantifier = draw.pick(['all', 'distinct'] as const);
  const others = groupsOf(right, columns);
  const kept: LargeRow[] = [];
  for (const [key, own] of groupsOf(left, columns)) {
    const [m, n] = [own.length, others.get(key)?.length ?? 0];
    const all = kind === 'except' ? Math.max(m - n, 0) : Math.min(m, n);
    const once = Number(n > 0 === (kind === 'intersect'));
    kept.push(...own.slice(0, quantifier === 'all' ? all : once));
  }
  return {
    shape: `${kind} ${quantifier} of ${columns.join()}`,
    nodes: {
      ...nodes,
      c: { kind, left: 'p', right: 'q', quantifier, scope: 'c' },
      o: ordered('c', 'c', columns),
    },
    expected: sortedCells(columns, kept),
    collapses: true,
  };
}

/** Some rows, each with the first of the others that equal it. */
function nested(draw: Draw, l: LargeTable, r: LargeTable): Question {
  const left = start(draw, l, 'a');
  const right = start(draw, r, 'b', draw.oneIn(2));
  const pairing = draw.pick(pairings);
  const limit = draw.pick([10, 400, 3_000]);
  const few = draw.pick([undefined, 1, 5]);
  const desc = draw.oneIn(2);
  const matching = matcher(pairing, right.rows);
  const kept = sorted(left.rows, [{ column: 'id', desc }]).slice(0, limit);
  const expected = kept.map((row) => [
    row.id,
    sorted(matching(row), [{ column: 'id', desc: false }])
      .slice(0, few ?? 20)
      .map((other) => [other.id, other.t]),
  ]);
  return {
    shape: `nested by ${pairing.join(' and ')}`,
    nodes: {
      ...left.nodes,
      ...right.nodes,
      e: { kind: 'filter', input: right.input, predicate: conditionOf(pairing, 'a', 'b') },
      eo: ordered('e', 'b', ['id']),
      es: { kind: 'slice', input: 'eo', limit: few ?? 20 },
      ep: { kind: 'project', input: 'es', fields: fieldsOf('b', ['id', 't']) },
      o: { kind: 'order', input: left.input, terms: [{ expr: col('a', 'id'), desc }] },
      z: { kind: 'slice', input: 'o', limit },
      p: {
        kind: 'project',
        input: 'z',
        fields: [...fieldsOf('a', ['id']), { as: 'others', expr: { kind: 'array', node: 'ep' } }],
      },
    },
    expected,
    collapses: false,
  };
}

/** Rows that have one of many listed values, by a join. */
function listedKeys(draw: Draw, l: LargeTable): Question {
  const column = draw.pick(['id', 'k', 'w', 'f', 't'] as const);
  const values = new Map<string, Scalar>();
  const wanted = draw.pick([1, 40, 3_000]);
  for (let i = 0; i < wanted && l.rows.length > 0; i++) {
    const value = draw.pick(l.rows)[column];
    if (value !== null) values.set(identityOf(value), value);
  }
  const { name, type } = columnOf(column) as { name: string; type: string };
  const rows = l.rows.filter((row) => row[column] !== null && values.has(identityOf(row[column])));
  return {
    shape: `listed ${column}`,
    nodes: {
      list: {
        kind: 'rows',
        scope: 'v',
        columns: [{ name, type }],
        rows: [...values.values()].map((value) => [textOf(value)]),
      },
      a_scan: { kind: 'scan', table: l.name, scope: 'a' },
      j: {
        kind: 'join',
        left: 'list',
        right: 'a_scan',
        join: 'inner',
        on: binary('eq', col('a', column), col('v', column)),
      },
      o: ordered('j', 'a', ['id']),
      p: { kind: 'project', input: 'o', fields: fieldsOf('a', ['id', 'f', 't']) },
    },
    expected: sorted(rows, [{ column: 'id', desc: false }]).map((row) => [row.id, row.f, row.t]),
    collapses: false,
  };
}

/** A division that some row may fail, beneath a filter by others that exist. */
function raising(draw: Draw, l: LargeTable, r: LargeTable): Question {
  const { nodes, input, rows } = start(draw, l, 'a');
  const hit = l.rows.length > 0 && draw.oneIn(2) ? draw.pick(l.rows).id : -1;
  const difference = binary('sub', col('a', 'id'), lit('id', hit));
  const right = start(draw, r, 'b', draw.oneIn(2));
  const never = draw.oneIn(2);
  const column = draw.pick(['k', 'w', 'f', 't', 's'] as const);
  const equal = binary('eq', col('b', column), col('p', column));
  const own = binary('and', binary('eq', col('b', 'id'), lit('id', -1)), equal);
  const others = never ? [] : right.rows;
  const matching = matcher([[column, column]], others);
  const fails = rows.some(({ id }) => id === hit);
  const kept = sorted(
    rows.filter((row) => matching(row).length > 0),
    [{ column: 'id', desc: false }],
  );
  return {
    shape: 'a division beneath exists',
    nodes: {
      ...nodes,
      p: {
        kind: 'project',
        input,
        scope: 'p',
        fields: [
          ...fieldsOf('a', ['id', column]),
          { as: 'x', expr: binary('div', lit('id', 1_000_000), difference) },
        ],
      },
      ...right.nodes,
      e: { kind: 'filter', input: right.input, predicate: never ? own : equal },
      x: { kind: 'filter', input: 'p', predicate: { kind: 'exists', node: 'e' } },
      o: ordered('x', 'p', ['id', 'x']),
    },
    expected: fails
      ? { refused: 'division_by_zero' }
      : kept.map((row) => [
          row.id,
          row[column],
          Math.trunc(1_000_000 / ((row.id as number) - (hit as number))) + 0,
        ]),
    collapses: false,
  };
}
