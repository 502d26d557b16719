/** Relations for the demo, by small builders: LIR is JSON, and building JSON needs no library. */

type Json = Readonly<Record<string, unknown>>;

const col = (scope: string, column: string): Json => ({ kind: 'col', scope, column });
const int = (value: number): Json => ({ kind: 'lit', value: { type: 'int64', value: `${value}` } });
const text = (value: string): Json => ({ kind: 'lit', value: { type: 'text', value } });
const equal = (left: Json, right: Json): Json => ({ kind: 'binary', op: 'eq', left, right });
const desc = (expr: Json): Json => ({ expr, desc: true });

function query(name: string, nodes: Json, root: string, cardinality = 'many'): Json {
  const relation = { nodes, root: { node: root, cardinality } };
  return { statements: [{ kind: 'query', name, relation }] };
}

/** The packages that most others ask for. */
export const mostDependedOn = query(
  'most_depended_on',
  {
    d: { kind: 'scan', table: 'dependency', scope: 'd' },
    p: { kind: 'scan', table: 'package', scope: 'p' },
    j: {
      kind: 'join',
      left: 'd',
      right: 'p',
      join: 'inner',
      on: equal(col('d', 'target_id'), col('p', 'id')),
    },
    a: {
      kind: 'aggregate',
      input: 'j',
      scope: 'a',
      groups: [{ expr: col('p', 'name') }],
      aggs: [{ fn: 'count', as: 'dependents' }],
    },
    o: {
      kind: 'order',
      input: 'a',
      terms: [desc(col('a', 'dependents')), { expr: col('a', 'name') }],
    },
    s: { kind: 'slice', input: 'o', limit: 8 },
  },
  's',
);

/** One package with everything it asks for inside. */
export const withDependencies = (name: string) =>
  query(
    'with_dependencies',
    {
      s: { kind: 'scan', table: 'package', scope: 'p' },
      f: { kind: 'filter', input: 's', predicate: equal(col('p', 'name'), text(name)) },
      o: { kind: 'order', input: 'f', terms: [{ expr: col('p', 'path') }] },
      r: {
        kind: 'project',
        input: 'o',
        fields: [
          { as: 'name', expr: col('p', 'name') },
          { as: 'version', expr: col('p', 'version') },
          { as: 'dependencies', expr: { kind: 'array', node: 'dr' } },
        ],
      },
      ds: { kind: 'scan', table: 'dependency', scope: 'd' },
      df: {
        kind: 'filter',
        input: 'ds',
        predicate: equal(col('d', 'package_id'), col('p', 'id')),
      },
      do: { kind: 'order', input: 'df', terms: [{ expr: col('d', 'name') }] },
      dr: {
        kind: 'project',
        input: 'do',
        fields: [
          { as: 'name', expr: col('d', 'name') },
          { as: 'range', expr: col('d', 'range') },
        ],
      },
    },
    'r',
  );

/** Licences, and how many packages carry each. */
export const licences = query(
  'licences',
  {
    s: { kind: 'scan', table: 'package', scope: 'p' },
    a: {
      kind: 'aggregate',
      input: 's',
      scope: 'a',
      groups: [{ expr: col('p', 'license'), as: 'license' }],
      aggs: [{ fn: 'count', as: 'packages' }],
    },
    o: {
      kind: 'order',
      input: 'a',
      terms: [desc(col('a', 'packages')), { expr: col('a', 'license') }],
    },
  },
  'o',
);

/** Installed packages that nobody asks for: the roots, and what is left over. */
export const unasked = query(
  'unasked',
  {
    s: { kind: 'scan', table: 'package', scope: 'p' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: { kind: 'unary', op: 'not', expr: { kind: 'exists', node: 'df' } },
    },
    o: { kind: 'order', input: 'f', terms: [{ expr: col('p', 'path') }] },
    r: {
      kind: 'project',
      input: 'o',
      fields: [
        { as: 'path', expr: col('p', 'path') },
        { as: 'version', expr: col('p', 'version') },
      ],
    },
    ds: { kind: 'scan', table: 'dependency', scope: 'd' },
    df: { kind: 'filter', input: 'ds', predicate: equal(col('d', 'target_id'), col('p', 'id')) },
  },
  'r',
);

/** Counts of both tables, one row. */
export const totals = query(
  'totals',
  {
    p: { kind: 'scan', table: 'package', scope: 'p' },
    pa: { kind: 'aggregate', input: 'p', scope: 'pa', aggs: [{ fn: 'count', as: 'packages' }] },
    d: { kind: 'scan', table: 'dependency', scope: 'd' },
    da: {
      kind: 'aggregate',
      input: 'd',
      scope: 'da',
      aggs: [
        { fn: 'count', as: 'dependencies' },
        { fn: 'count', as: 'installed', arg: col('d', 'target_id') },
      ],
    },
    j: { kind: 'join', left: 'pa', right: 'da', join: 'inner', on: equal(int(1), int(1)) },
  },
  'j',
  'exactly_one',
);
