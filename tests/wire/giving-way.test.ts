/** Large documents give way while they are checked, and what is wrong with them is told as in one go. */

import { expect, test } from 'bun:test';
import { neverYield, runWithoutWaiting, type YieldPolicy } from '#base';
import { checkQuerySteps } from '#wire';
import { reportQuery, reportQuerySteps } from '../../src/wire/lir/check.ts';

/** How many rows of work were told of, the most between two looks. */
function paced(): { readonly pace: YieldPolicy; work: number; most: number } {
  const told = { pace: neverYield, work: 0, most: 0 };
  const pause = (rows: number) => {
    if (rows === Number.POSITIVE_INFINITY) return undefined;
    told.work += rows;
    told.most = Math.max(told.most, rows);
    return undefined;
  };
  told.pace = { ...neverYield, pause };
  return told;
}

const root = (node: string) => ({ node, cardinality: 'many' });
const rowsOf = (rows: readonly unknown[]) => ({
  nodes: { r: { kind: 'rows', scope: 'r', columns: [{ name: 'a', type: 'text' }], rows } },
  root: root('r'),
});

test('a query of many nodes gives way at each of them', () => {
  const inputs = Array.from({ length: 3000 }, (_, i) => `s${i}`);
  const scans = inputs.map((name) => [name, { kind: 'scan', table: 't', scope: name }]);
  const nodes = { ...Object.fromEntries(scans), c: { kind: 'concatenate', inputs, scope: 'u' } };
  const told = paced();
  runWithoutWaiting(checkQuerySteps({ nodes, root: root('c') }, told.pace));
  expect(told.work).toBeGreaterThan(3000 * 64);
  expect(told.most).toBeLessThan(1024);
});

test('very many rows give way within them', () => {
  const told = paced();
  const rows = Array.from({ length: 100_000 }, (_, i) => [i % 7 === 0 ? null : `${i}`]);
  runWithoutWaiting(checkQuerySteps(rowsOf(rows), told.pace));
  expect(told.work).toBeGreaterThan(100_000);
  expect(told.most).toBeLessThan(1024);
});

test('what is wrong in nodes and in rows is told in the order of the document, with what is right between', () => {
  const good = Array.from({ length: 2000 }, () => ['x']);
  const bad = rowsOf([...good, [1], ...good, ['x', 'y'], 'x']);
  const nodes = {
    a: { kind: 'scan', table: 't', scope: 'a' },
    b: { kind: 'scan', scope: 'b' },
    ...bad.nodes,
    c: { kind: 'nothing' },
    d: rowsOf([...good, ['x', 'y']]).nodes.r,
  };
  const { grammar, payload } = reportQuery({ nodes, root: root('a') });
  const pointers = (findings: typeof grammar) => findings.map(({ pointer }) => pointer);
  expect(pointers(grammar)).toEqual([
    '/nodes/b',
    '/nodes/r/rows/2000/0',
    '/nodes/r/rows/4002',
    '/nodes/c/kind',
  ]);
  expect(pointers(payload)).toEqual(['/nodes/d/rows/2000']);
});

test('a document of nothing but wrong nodes is looked through no further than its findings are told', () => {
  const wrong = Array.from({ length: 20_000 }, (_, i) => [`n${i}`, { kind: 'nothing' }]);
  const told = paced();
  const steps = reportQuerySteps({ nodes: Object.fromEntries(wrong), root: root('n0') }, told.pace);
  expect(runWithoutWaiting(steps).grammar).toHaveLength(512);
  expect(told.work).toBeLessThan(1000 * 64);
});
