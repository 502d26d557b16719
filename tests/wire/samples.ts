/** Documents that use every production of both grammars at least once. */

const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
const int = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
const binary = (op: string, left: unknown, right: unknown) => ({ kind: 'binary', op, left, right });

/** Fresh on each call, so that a test may change it. */
export function fullQuery(): Record<string, unknown> {
  return {
    nodes: {
      scan: { kind: 'scan', table: 'planet', scope: 's' },
      rows: {
        kind: 'rows',
        scope: 'r',
        columns: [
          { name: 'n', type: 'int64' },
          { name: 'b', type: 'bool', nullable: true },
          { name: 'y', type: 'bytes', nullable: false },
        ],
        rows: [
          ['1', 'true', '/w=='],
          ['+2', null, ''],
        ],
      },
      join: { kind: 'join', left: 'scan', right: 'rows', join: 'left', on: everyExpression() },
      filter: { kind: 'filter', input: 'join', predicate: { kind: 'exists', node: 'inner' } },
      inner: { kind: 'ref', binding: 'd', scope: 'i' },
      project: {
        kind: 'project',
        input: 'filter',
        scope: 'p',
        spread: ['s', 'r'],
        fields: [
          { as: 'f', expr: { kind: 'first', node: 'inner1' } },
          { as: 'v', expr: { kind: 'scalar', node: 'inner2', check: true } },
          { as: 'a', expr: { kind: 'array', node: 'inner3' } },
        ],
      },
      inner1: { kind: 'scan', table: 't', scope: 'i1' },
      inner2: { kind: 'scan', table: 't', scope: 'i2' },
      inner3: { kind: 'scan', table: 't', scope: 'i3' },
      other: { kind: 'ref', binding: 'loop', scope: 'o' },
      concatenate: { kind: 'concatenate', inputs: ['project', 'other'], scope: 'c' },
      third: { kind: 'scan', table: 't', scope: 't3' },
      intersect: {
        kind: 'intersect',
        left: 'concatenate',
        right: 'third',
        quantifier: 'all',
        scope: 'x',
      },
      fourth: { kind: 'scan', table: 't', scope: 't4' },
      except: {
        kind: 'except',
        left: 'intersect',
        right: 'fourth',
        quantifier: 'distinct',
        scope: 'e',
      },
      distinct: { kind: 'distinct', input: 'except' },
      aggregate: {
        kind: 'aggregate',
        input: 'distinct',
        scope: 'g',
        groups: [{ expr: col('e', 'n') }, { expr: int('1'), as: 'one' }],
        aggs: [
          { fn: 'count', as: 'c' },
          { fn: 'sum', as: 's', arg: col('e', 'n') },
        ],
      },
      order: {
        kind: 'order',
        input: 'aggregate',
        terms: [{ expr: col('g', 'n'), desc: true, nulls: 'first' }, { expr: col('g', 'c') }],
      },
      slice: { kind: 'slice', input: 'order', offset: 1, limit: 9007199254740993n },
      body: { kind: 'scan', table: 't', scope: 'b' },
      anchor: { kind: 'scan', table: 't', scope: 'an' },
      step: { kind: 'recursive_ref', binding: 'loop', scope: 'st' },
    },
    bindings: {
      d: { kind: 'derived', node: 'body' },
      loop: { kind: 'recursive', anchor: 'anchor', step: 'step', accumulation: 'new' },
    },
    root: { node: 'slice', cardinality: 'many', unordered: false },
  };
}

function everyExpression(): unknown {
  const match = {
    kind: 'text_match',
    value: { kind: 'lit', value: { type: 'text', value: '' } },
    parts: [{ kind: 'literal', value: 'x' }, { kind: 'any_many' }],
    comparison: 'unicode_simple_fold',
  };
  const arm = {
    when: { kind: 'unary', op: 'is_null', expr: col('s', 'n') },
    then: match,
  };
  const branch = {
    kind: 'branch',
    branches: [arm],
    else: { kind: 'lit', value: { type: 'bool', value: true } },
  };
  const cast = {
    kind: 'cast',
    expr: { kind: 'lit', value: { type: 'float64', value: '1e3' } },
    to: 'int64',
  };
  const bytes = { kind: 'lit', value: { type: 'bytes', value: 'AAE=' } };
  const comparison = binary('lt', cast, int('-5'));
  const coalesce = { kind: 'coalesce', args: [branch, match] };
  const call = { kind: 'call', fn: 'not_null', args: [coalesce] };
  return binary('and', binary('or', call, comparison), binary('eq', bytes, col('r', 'y')));
}

export function fullProgram(): { statements: Record<string, unknown>[]; result?: string } {
  const index = { name: 'i', columns: ['a', 'b'], unique: true };
  const key = {
    name: 'k',
    columns: ['a'],
    ref_table: 't',
    ref_columns: ['id'],
    on_delete: 'cascade',
  };
  const id = {
    name: 'id',
    id: 1,
    type: 'bytes',
    format: 'uuid',
    default: { kind: 'generator', func: 'uuid_v7' },
  };
  const count = {
    name: 'a',
    type: 'int64',
    nullable: true,
    default: { kind: 'literal', value: 5 },
  };
  const table = {
    name: 't',
    id: 7,
    columns: [id, count],
    primary_key: ['id'],
    indexes: [index],
    foreign_keys: [key],
  };
  const at = { table_id: 1, column_id: 2 };
  return {
    statements: [
      { kind: 'query', name: 's0', relation: fullQuery() },
      { kind: 'create', name: 's1', table: 't', relation: smallQuery(), ordered: true },
      { kind: 'update', name: 's2', table: 't', relation: smallQuery() },
      { kind: 'delete', name: 's3', table: 't', relation: smallQuery() },
      { kind: 'create_table', name: 's4', table },
      { kind: 'rename_table', name: 's5', table_id: 1, to: 'u' },
      { kind: 'delete_table', name: 's6', table_id: 1 },
      { kind: 'create_column', name: 's7', table_id: 1, column: count },
      { kind: 'rename_column', name: 's8', ...at, to: 'c' },
      {
        kind: 'change_column_default',
        name: 's9',
        ...at,
        default: { kind: 'literal', value: 'x' },
      },
      { kind: 'change_column_default', name: 's10', ...at },
      { kind: 'delete_column', name: 's11', ...at },
      { kind: 'create_index', name: 's12', table_id: 1, index },
      { kind: 'delete_index', name: 's13', table_id: 1, index: 'i' },
      { kind: 'create_foreign_key', name: 's14', table_id: 1, foreign_key: key },
      { kind: 'delete_foreign_key', name: 's15', table_id: 1, foreign_key: 'k' },
      {
        kind: 'start_index_build',
        name: 's16',
        table_id: 1,
        index,
        prerequisites: ['x'],
        after: [],
      },
      {
        kind: 'start_column_replacement',
        name: 's17',
        ...at,
        replacement: {
          type: 'text',
          nullable: true,
          conversion: 'strict_builtin',
          prerequisites: [],
        },
        after: ['s16'],
      },
      {
        kind: 'start_constraint_validation',
        name: 's18',
        table_id: 1,
        constraint: { name: 'c', kind: 'not_null', column_id: 2, prerequisites: [] },
      },
    ],
    result: 's0',
  };
}

export function smallQuery(): { nodes: Record<string, unknown>; root: Record<string, unknown> } {
  return {
    nodes: {
      s: { kind: 'scan', table: 'planet', scope: 'v' },
      f: {
        kind: 'filter',
        input: 's',
        predicate: binary('eq', col('v', 'moons'), int('3')),
      },
    },
    root: { node: 'f', cardinality: 'many' },
  };
}

export function fullTable(): Record<string, unknown> {
  return {
    id: 3,
    name: 'order line',
    columns: [
      { id: 1, name: 'id', type: 'bytes', format: 'ulid', default: { func: 'ulid' } },
      { name: 'count', type: 'int64', nullable: true, default: { value: 5 } },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'i', columns: ['count'], unique: false }],
    foreign_keys: [
      {
        name: 'k',
        columns: ['count'],
        ref_table: 't',
        ref_columns: ['id'],
        on_delete: 'set_null',
      },
    ],
  };
}
