/** The cache of plans is bounded by what the plans keep, however small their texts are. */

import { expect, test } from 'bun:test';
import { anyone, type Principal } from '#access';
import { applyChange, emptyCatalog } from '#catalog';
import { checkProgram } from '#wire';
import { PlanCache, planCacheBytesMax } from '../../src/engine/prepared/plan-cache.ts';
import { PreparedProgram } from '../../src/engine/prepared/prepared-program.ts';
import { EdgeCounters } from '../../src/http/edge/counters.ts';
import { classesMax, Templates } from '../../src/http/program/templates.ts';
import { planProgram } from '../support/plans.ts';
import { readerOf } from '../support/principals.ts';

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

function add(templates: Templates, body: string, principal = anyone): void {
  const document = JSON.parse(body);
  const program = planProgram(checkProgram(document), 'q', catalog, {
    accessPaths: 'all',
    crossings: 'spooled',
  });
  templates.add({ principal, body, document, program: new PreparedProgram(program) });
}

test('an entry counts more than its text', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  const body = bodyOf(0, 20);
  add(templates, body);
  expect(templates.find(body, false, anyone)).toBeDefined();
  expect(counters.templateBytes).toBeGreaterThan(3 * body.length);
  templates.find(body, false, anyone)?.forget();
  expect(counters.templateBytes).toBe(0);
});

test('a plan that is forgotten is not found again, and those beside it are', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  // Both begin with the same text, up to the first literal.
  const [first, second] = [bodyOf(0, 3), bodyOf(0, 4)];
  add(templates, first);
  const ofFirst = counters.templateBytes;
  add(templates, second);
  for (const body of [first, second]) expect(templates.find(body, false, anyone)).toBeDefined();
  templates.find(second, false, anyone)?.forget();
  expect(templates.find(second, false, anyone)).toBeUndefined();
  expect(templates.find(first, false, anyone)).toBeDefined();
  expect(counters.templateBytes).toBe(ofFirst);
  templates.find(first, false, anyone)?.forget();
  expect(templates.find(first, false, anyone)).toBeUndefined();
  expect(counters.templateBytes).toBe(0);
});

test('a plan is found by principals of the class that it was made for, and goes for those alone', () => {
  const templates = new Templates(new PlanCache(), new EdgeCounters());
  const body = bodyOf(0, 3);
  const [one, alike, other] = [readerOf('0', 1), readerOf('1', 1), readerOf('2', 2)];
  add(templates, body, one);
  expect(templates.find(body, false, alike)).toBeDefined();
  for (const stranger of [other, anyone]) {
    expect(templates.find(body, false, stranger)).toBeUndefined();
  }
  add(templates, body, other);
  templates.find(body, false, other)?.forget();
  expect(templates.find(body, false, other)).toBeUndefined();
  expect(templates.find(body, false, one)).toBeDefined();
});

test('programs of many shapes keep no more than the bound, the newest of them', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  add(templates, bodyOf(-1, 40));
  const each = counters.templateBytes;
  const count = Math.ceil(planCacheBytesMax / each) + 50;
  for (let i = 0; i < count; i++) add(templates, bodyOf(i, 40));
  expect(counters.templateBytes).toBeLessThanOrEqual(planCacheBytesMax);
  expect(counters.templateBytes).toBeGreaterThan(planCacheBytesMax - 2 * each);
  expect(templates.find(bodyOf(count - 1, 40), false, anyone)).toBeDefined();
  expect(templates.find(bodyOf(0, 40), false, anyone)).toBeUndefined();
});

test('a program that is asked for outlives those that come once', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  const wanted = bodyOf(-1, 40);
  add(templates, wanted);
  const count = 2 * Math.ceil(planCacheBytesMax / counters.templateBytes);
  for (let i = 0; i < count; i++) {
    add(templates, bodyOf(i, 40));
    if (i % 50 !== 49) continue;
    expect(templates.find(wanted, false, anyone)).toBeDefined();
    // Four others, so that it is not among those that were found last.
    for (let other = i; other > i - 4; other--) templates.find(bodyOf(other, 40), false, anyone);
  }
  expect(templates.find(wanted, false, anyone)).toBeDefined();
  expect(counters.templateBytes).toBeLessThanOrEqual(planCacheBytesMax);
});

test('of programs that begin alike, however many, all are found', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  const bodies = Array.from({ length: 40 }, (_, i) => bodyOf(0, i + 1));
  for (const body of bodies) add(templates, body);
  for (const body of bodies) expect(templates.find(body, false, anyone)).toBeDefined();
  expect(counters.templateHits).toBe(bodies.length);
  expect(counters.templates).toBe(bodies.length);
});

test('hits, misses, evictions and what is held are counted', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  const [body, other] = [bodyOf(0, 2), bodyOf(0, 3)];
  expect(templates.find(body, false, anyone)).toBeUndefined();
  add(templates, body);
  expect(templates.find(body, false, anyone)).toBeDefined();
  expect(templates.find(other, false, anyone)).toBeUndefined();
  const { templateHits, templateMisses, templateEvictions } = counters;
  expect({ templateHits, templateMisses }).toEqual({ templateHits: 1, templateMisses: 2 });
  expect(counters.templates).toBe(1);
  expect(templateEvictions).toBe(0);
});

test('a program that was planned twice at the same time is held once', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  add(templates, bodyOf(0, 2));
  const { templateBytes } = counters;
  add(templates, bodyOf(0, 2));
  expect(counters).toEqual({ ...new EdgeCounters(), templates: 1, templateBytes });
});

test('classes of visibility are bounded: the one that was used longest ago loses its templates', () => {
  const counters = new EdgeCounters();
  const templates = new Templates(new PlanCache(), counters);
  const classes = Array.from({ length: classesMax + 1 }, (_, i) => readerOf(`${i}`, i));
  const [first, second, third] = classes as [Principal, Principal, Principal];
  const body = bodyOf(0, 1);
  for (const principal of classes.slice(0, classesMax)) add(templates, body, principal);
  expect(templates.find(body, false, first)).toBeDefined();
  add(templates, body, classes[classesMax]);
  expect(templates.find(body, false, second)).toBeUndefined();
  for (const kept of [first, third, classes[classesMax] as Principal]) {
    expect(templates.find(body, false, kept)).toBeDefined();
  }
  expect(counters).toMatchObject({ templates: classesMax, templateEvictions: 1 });
  add(templates, body, second);
  expect(templates.find(body, false, second)).toBeDefined();
});
