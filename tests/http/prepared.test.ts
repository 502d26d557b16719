/** The cache of plans is bounded by what the plans keep, however small their texts are. */

import { expect, test } from 'bun:test';
import { applyChange, emptyCatalog } from '#catalog';
import { planProgram } from '#planner';
import { checkProgram } from '#wire';
import { edgeCounters } from '../../src/http/edge/counters.ts';
import { PreparedPrograms, preparedBytesMax } from '../../src/http/prepared.ts';

const { catalog } = applyChange(emptyCatalog, {
  kind: 'create_table',
  table: { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
});

/** A program of a shape of its own: its scope has another name, and `depth` filters. */
function bodyOf(i: number, depth: number): string {
  const id = { kind: 'col', scope: `s${i}`, column: 'id' };
  const value = { kind: 'lit', value: { type: 'int64', value: '1' } };
  const nodes: Record<string, unknown> = { n: { kind: 'scan', table: 't', scope: `s${i}` } };
  let at = 'n';
  for (let level = 0; level < depth; level++) {
    const predicate = { kind: 'binary', op: 'ne', left: id, right: value };
    nodes[`f${level}`] = { kind: 'filter', input: at, predicate };
    at = `f${level}`;
  }
  const relation = { nodes, root: { node: at, cardinality: 'exactly_one' } };
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
}

function add(prepared: PreparedPrograms, body: string): void {
  const document = JSON.parse(body);
  const program = planProgram(checkProgram(document), 'q', catalog, {
    accessPaths: 'all',
    crossings: 'spooled',
  });
  prepared.add('program', { body, document, program });
}

test('an entry counts more than its text', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  const body = bodyOf(0, 20);
  add(prepared, body);
  expect(prepared.find('program', body)).toBeDefined();
  expect(counters.templateBytes).toBeGreaterThan(3 * body.length);
  prepared.find('program', body)?.forget();
  expect(counters.templateBytes).toBe(0);
});

test('a plan that is forgotten is not found again, and those beside it are', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  // Both begin with the same text, up to the first literal.
  const [first, second] = [bodyOf(0, 3), bodyOf(0, 4)];
  add(prepared, first);
  const ofFirst = counters.templateBytes;
  add(prepared, second);
  for (const body of [first, second]) expect(prepared.find('program', body)).toBeDefined();
  prepared.find('program', second)?.forget();
  expect(prepared.find('program', second)).toBeUndefined();
  expect(prepared.find('program', first)).toBeDefined();
  expect(counters.templateBytes).toBe(ofFirst);
  prepared.find('program', first)?.forget();
  expect(prepared.find('program', first)).toBeUndefined();
  expect(counters.templateBytes).toBe(0);
});

test('programs of many shapes keep no more than the bound, the newest of them', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  add(prepared, bodyOf(-1, 40));
  const each = counters.templateBytes;
  const count = Math.ceil(preparedBytesMax / each) + 50;
  for (let i = 0; i < count; i++) add(prepared, bodyOf(i, 40));
  expect(counters.templateBytes).toBeLessThanOrEqual(preparedBytesMax);
  expect(counters.templateBytes).toBeGreaterThan(preparedBytesMax - 2 * each);
  expect(prepared.find('program', bodyOf(count - 1, 40))).toBeDefined();
  expect(prepared.find('program', bodyOf(0, 40))).toBeUndefined();
});

test('a program that is asked for outlives those that come once', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  const wanted = bodyOf(-1, 40);
  add(prepared, wanted);
  const count = 2 * Math.ceil(preparedBytesMax / counters.templateBytes);
  for (let i = 0; i < count; i++) {
    add(prepared, bodyOf(i, 40));
    if (i % 50 !== 49) continue;
    expect(prepared.find('program', wanted)).toBeDefined();
    // Four others, so that it is not among those that were found last.
    for (let other = i; other > i - 4; other--) prepared.find('program', bodyOf(other, 40));
  }
  expect(prepared.find('program', wanted)).toBeDefined();
  expect(counters.templateBytes).toBeLessThanOrEqual(preparedBytesMax);
});

test('of programs that begin alike, however many, all are found', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  const bodies = Array.from({ length: 40 }, (_, i) => bodyOf(0, i + 1));
  for (const body of bodies) add(prepared, body);
  for (const body of bodies) expect(prepared.find('program', body)).toBeDefined();
  expect(counters.templateHits).toBe(bodies.length);
  expect(counters.templates).toBe(bodies.length);
});

test('hits, misses, evictions and what is held are counted', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  const [body, other] = [bodyOf(0, 2), bodyOf(0, 3)];
  expect(prepared.find('program', body)).toBeUndefined();
  add(prepared, body);
  expect(prepared.find('program', body)).toBeDefined();
  expect(prepared.find('program', other)).toBeUndefined();
  const { templateHits, templateMisses, templates, templateEvictions } = counters;
  expect({ templateHits, templateMisses }).toEqual({ templateHits: 1, templateMisses: 2 });
  expect({ templates, templateEvictions }).toEqual({ templates: 1, templateEvictions: 0 });
});

test('a program that was planned twice at the same time is held once', () => {
  const counters = edgeCounters();
  const prepared = new PreparedPrograms(counters);
  add(prepared, bodyOf(0, 2));
  const { templateBytes } = counters;
  add(prepared, bodyOf(0, 2));
  expect(counters).toEqual({ ...edgeCounters(), templates: 1, templateBytes });
});
