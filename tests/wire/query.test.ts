/** What the check of LIR documents accepts, refuses, and says. */

import { describe, expect, test } from 'bun:test';
import { neverYield } from '#base';
import { checkQuery, checkQuerySteps } from '#wire';
import { failureOf, outline } from './failure-of.ts';
import { fullQuery, smallQuery } from './samples.ts';

type Path = readonly (string | number)[];

/** The full query with the value at `path` replaced, or removed when `value` is undefined. */
function changed(path: Path, value: unknown): unknown {
  const query = fullQuery();
  let at = query as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return query;
}

test('a document with every production passes, and is returned as it is', () => {
  const query = fullQuery();
  expect(checkQuery(query) as unknown).toBe(query);
});

describe('the grammar of a body is 400 and names the member', () => {
  const cases: readonly [Path, unknown, string, string][] = [
    [['nodes', 'slice', 'limit'], '5', '/nodes/slice/limit', 'an integer of at least 0'],
    [['nodes', 'slice', 'limit'], -1, '/nodes/slice/limit', 'an integer of at least 0'],
    [['nodes', 'slice', 'limit'], 1.5, '/nodes/slice/limit', 'an integer of at least 0'],
    [['nodes', 'slice', 'limit'], 2n ** 63n, '/nodes/slice/limit', 'an integer of at least 0'],
    [['nodes', 'scan', 'kind'], 'scann', '/nodes/scan/kind', 'did you mean "scan"?'],
    [['nodes', 'scan', 'kind'], 'zzzzzz', '/nodes/scan/kind', 'allowed are "scan", "rows"'],
    [['nodes', 'scan', 'kind'], 4, '/nodes/scan/kind', 'got a number'],
    [['nodes', 'scan', 'kind'], undefined, '/nodes/scan', 'missing member "kind"'],
    [['nodes', 'scan', 'tabel'], 'x', '/nodes/scan/tabel', 'did you mean "table"?'],
    [['nodes', 'scan', 'table'], undefined, '/nodes/scan', 'missing member "table"'],
    [['nodes', 'scan', 'table'], '', '/nodes/scan/table', 'got an empty string'],
    [['nodes', 'scan', 'table'], null, '/nodes/scan/table', 'got null'],
    [['nodes', 'scan', 'table'], '\ud800', '/nodes/scan/table', 'well-formed'],
    [['nodes', 'scan', '__proto__x'], 1, '/nodes/scan/__proto__x', 'unknown member'],
    [['nodes', 'scan'], [], '/nodes/scan', 'an object, got an array'],
    [['nodes', 'join', 'join'], 'semi', '/nodes/join/join', 'allowed are "inner", "left"'],
    [['nodes', 'project', 'spread'], ['s', 's'], '/nodes/project/spread/1', 'distinct'],
    [['nodes', 'project', 'spread'], [], '/nodes/project/spread', 'at least 1'],
    [['nodes', 'concatenate', 'inputs'], ['a'], '/nodes/concatenate/inputs', 'at least 2'],
    [['nodes', 'rows', 'rows', 0, 0], 1, '/nodes/rows/rows/0/0', 'a string or null'],
    [['nodes', 'rows', 'rows', 0, 0], 1, '/nodes/rows/rows/0/0', 'a number: write "1"'],
    [['nodes', 'rows', 'rows', 0, 0], [1], '/nodes/rows/rows/0/0', 'or null, got an array'],
    [['nodes', 'inner', 'extra'], {}, '/nodes/inner/extra', 'unknown member'],
    [['bindings'], {}, '/bindings', 'at least 1'],
    [['bindings', 'loop', 'accumulation'], 'some', '/bindings/loop/accumulation', '"all", "new"'],
    [['bindings', ''], { kind: 'derived', node: 'x' }, '/bindings/', 'must not be empty'],
    [['root', 'cardinality'], 'one', '/root/cardinality', 'exactly_one'],
    [['nodes'], {}, '/nodes', 'at least 1'],
    [['root'], undefined, '', 'missing member "root"'],
    [['nodes', 'a/b~c'], null, '/nodes/a~1b~0c', 'got null'],
  ];
  test.each(cases)('%p = %p', (path, value, pointer, fragment) => {
    const failure = failureOf(() => checkQuery(changed(path, value)));
    expect(outline(failure)).toEqual({
      reason: 'schema_violation',
      status: 400,
      stage: 'schema',
      pointer,
    });
    expect(failure.detail).toContain(fragment);
  });

  test('a document that is no object', () => {
    for (const json of [null, 5, 'x', [], true]) {
      expect(outline(failureOf(() => checkQuery(json)))).toMatchObject({
        status: 400,
        pointer: '',
      });
    }
  });

  test('a project without spread and fields, an aggregate without groups and aggs', () => {
    const bare = { kind: 'project', input: 'filter' };
    const project = failureOf(() => checkQuery(changed(['nodes', 'project'], bare)));
    expect(outline(project).pointer).toBe('/nodes/project');
    expect(project.detail).toContain('"spread", "fields"');
    const fold = { kind: 'aggregate', input: 'distinct' };
    const aggregate = failureOf(() => checkQuery(changed(['nodes', 'aggregate'], fold)));
    expect(aggregate.detail).toContain('"groups", "aggs"');
  });
});

describe('literals', () => {
  const withLiteral = (value: unknown) => {
    const query = smallQuery();
    query.nodes['f'] = { kind: 'filter', input: 's', predicate: { kind: 'lit', value } };
    return () => checkQuery(query);
  };
  const accepted = [
    { type: 'text' },
    { type: 'text', value: '' },
    { type: 'int64', value: '-0' },
    { type: 'int64', value: '99999999999999999999' },
    { type: 'float64', value: 'NaN' },
    { type: 'bool', value: false },
    { type: 'bytes', value: '' },
    { type: 'bytes', value: 'AAE=' },
  ];
  test.each(accepted)('%p passes', (literal) => {
    expect(withLiteral(literal)).not.toThrow();
  });
  const refused: readonly [unknown, number][] = [
    [{ type: 'int64', value: null }, 400],
    [{ type: 'int64', value: '01' }, 400],
    [{ type: 'int64', value: '+1' }, 400],
    [{ type: 'int64', value: '1\n' }, 400],
    [{ type: 'int64', value: 1 }, 400],
    [{ type: 'bool', value: 'true' }, 400],
    [{ type: 'uuid' }, 400],
    [{}, 400],
    [{ type: 'bytes', value: '/w' }, 422],
    [{ type: 'bytes', value: '/x==' }, 422],
    [{ type: 'bytes', value: '_w==' }, 422],
    [{ type: 'bytes', value: '/w==\n' }, 422],
    [{ type: 'bytes', value: '00000000-0000-4000-8000-000000000002' }, 422],
  ];
  test.each(refused)('%p is %p', (literal, status) => {
    expect(outline(failureOf(withLiteral(literal)))).toMatchObject({
      reason: 'schema_violation',
      status,
    });
  });
});

test('a finding in a cell names its column and the type', () => {
  const details = [
    ['nodes', 'rows', 'rows', 0, 0],
    ['nodes', 'rows', 'rows', 0, 1],
  ].map((path) => failureOf(() => checkQuery(changed(path, 7))).detail);
  expect(details).toEqual([
    '/nodes/rows/rows/0/0: column "n" of type int64: expected a string or null, got a number: write "7"',
    '/nodes/rows/rows/0/1: column "b" of type bool: expected a string or null, got a number: write "7"',
  ]);
});

describe('payloads of rows are 422', () => {
  const cases: readonly [Path, unknown, string][] = [
    [['nodes', 'rows', 'rows', 1], ['1', 'true'], '/nodes/rows/rows/1'],
    [['nodes', 'rows', 'rows', 0, 1], 'TRUE', '/nodes/rows/rows/0/1'],
    [['nodes', 'rows', 'rows', 0, 2], '/w', '/nodes/rows/rows/0/2'],
  ];
  test.each(cases)('%p = %p', (path, value, pointer) => {
    const failure = failureOf(() => checkQuery(changed(path, value)));
    expect(outline(failure)).toEqual({
      reason: 'schema_violation',
      status: 422,
      stage: 'schema',
      pointer,
    });
  });

  test('a number that cannot be read is a matter of types', () => {
    expect(() => checkQuery(changed(['nodes', 'rows', 'rows', 0, 0], 'x'))).not.toThrow();
  });

  test('grammar goes before payload, payload before graph', () => {
    const query = changed(['nodes', 'rows', 'rows', 0, 1], 'TRUE') as {
      nodes: Record<string, unknown>;
    };
    query.nodes['lonely'] = { kind: 'scan', table: 't', scope: 'l' };
    expect(outline(failureOf(() => checkQuery(query))).status).toBe(422);
    query.nodes['lonely'] = { kind: 'scan', table: 't' };
    expect(outline(failureOf(() => checkQuery(query)))).toMatchObject({
      status: 400,
      pointer: '/nodes/lonely',
    });
  });
});

test('several findings come together, sorted by pointer, at most 16', () => {
  const query = smallQuery();
  for (let i = 40; i > 0; i--) query.nodes[`n${String(i).padStart(2, '0')}`] = { kind: 'scan' };
  const { errors = [], location, detail } = failureOf(() => checkQuery(query));
  const pointers = errors.map((error) => error.location?.pointer as string);
  expect(pointers).toHaveLength(16);
  expect(pointers).toEqual(pointers.toSorted());
  expect(pointers[0]).toBe('/nodes/n01');
  expect(location?.pointer).toBe('/nodes/n01');
  expect(detail).toBe(errors[0]?.detail as string);
});

test('huge names do not multiply in the answer', () => {
  const query = smallQuery();
  const rows = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, i]));
  query.nodes['n'.repeat(40_000)] = { kind: 'scan', table: 't', scope: 's', ...rows };
  const failure = failureOf(() => checkQuery(query));
  expect(failure.location?.pointer).toContain('/nnn');
  expect(JSON.stringify(failure).length).toBeLessThan(150_000);
});

test('a single finding is not repeated as a list', () => {
  const failure = failureOf(() => checkQuery(changed(['root', 'node'], 1)));
  expect(failure.errors).toBeUndefined();
});

test('the graph is checked last: 422 in stage preflight', () => {
  const failure = failureOf(() => checkQuery(changed(['nodes', 'slice', 'input'], 'missing')));
  expect(outline(failure)).toEqual({
    reason: 'unknown_node',
    status: 422,
    stage: 'preflight',
    pointer: '/nodes/slice/input',
  });
});

test('no more than 10,000 nodes', () => {
  const query = smallQuery();
  for (let i = 0; i < 10_000; i++)
    query.nodes[`n${i}`] = { kind: 'scan', table: 't', scope: `${i}` };
  expect(outline(failureOf(() => checkQuery(query)))).toMatchObject({
    reason: 'invalid',
    status: 422,
  });
});

test('the check of a query gives way before its grammar, behind each node, before its graph and at each edge', () => {
  const nodes = { s: { kind: 'scan', table: 't', scope: 's' } };
  const query = { nodes, root: { node: 's', cardinality: 'many' } };
  const waits: number[] = [];
  const pause = (rows: number) => {
    waits.push(rows);
    return Promise.resolve();
  };
  const pace = { ...neverYield, pause };
  const steps = checkQuerySteps(query, pace);
  const pending = Array.from({ length: 4 }, () => steps.next().done);
  expect(pending).toEqual([false, false, false, false]);
  expect(steps.next()).toEqual({ done: true, value: query as never });
  expect(waits).toEqual([Infinity, 64, Infinity, 8]);
});
