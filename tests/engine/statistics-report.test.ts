/** The text of `GET /statistics`, with models of many families and without any. */

import { expect, test } from 'bun:test';
import { manualWorld } from '../support/manual-world.ts';
import { memoryEngine, resultOf } from './support/memory-engine.ts';

/** Families differ in the name of a node. */
function ask(family: number): object {
  const name = `n${family}`;
  const columns = [{ name: 'a', type: 'int64', nullable: false }];
  const nodes = { [name]: { kind: 'rows', scope: 'r', columns, rows: [['1']] } };
  const relation = { nodes, root: { node: name, cardinality: 'exactly_one' } };
  return { kind: 'query', name: 'q', relation };
}

/** Pieces of the text, and how many turns of the event loop they left to others. */
async function reported(families: number) {
  const world = manualWorld();
  let yields = 0;
  const yieldTurn = async () => {
    yields++;
    await world.scheduler.yield();
  };
  const engine = await memoryEngine({
    world: { ...world, scheduler: { ...world.scheduler, yield: yieldTurn } },
  });
  try {
    for (let family = 0; family < families; family++) await resultOf(engine, [ask(family)], 'q');
    world.advance(50);
    const before = yields;
    const pieces = await engine.statisticsText({ state: 'connected', sent: 7, received: 2 });
    return { pieces, yields: yields - before, shown: JSON.parse(pieces.join('')) };
  } finally {
    await engine.close();
  }
}

test('a database that has executed nothing and keeps no programs reports zeros', async () => {
  const { shown, yields } = await reported(0);
  const { physicalCost, relay, ...others } = shown;
  expect(others).toEqual({
    ...{ absorbed: 0, dropped: 0, evicted: 0, shed: 0, trackedFamilies: 0 },
    corpus: { enabled: false, captured: 0, skippedOversize: 0, droppedQueue: 0, shedPending: 0 },
    ...{ models: [], synopses: [] },
  });
  expect(physicalCost.backend).toBe('memory');
  // Members of the process's own relay stand beside those that no relay has.
  expect(relay).toEqual({
    ...{ state: 'connected', sent: 7 },
    received: 2,
    receivedAlreadyApplied: 0,
    receivedRejected: 0,
    receivedSaturated: 0,
    receivedCorpusOversize: 0,
    sources: 0,
    mergedObservations: 0,
    corpusAdopted: 0,
    refusedStaleFamilies: 0,
  });
  expect(yields).toBe(0);
});

test.each([1, 63, 64, 65, 128, 130])('of %d families each is reported once', async (families) => {
  const { shown } = await reported(families);
  const reports = shown.models as readonly { readonly family: string }[];
  expect([shown.trackedFamilies, reports.length]).toEqual([families, families]);
  expect(new Set(reports.map(({ family }) => family)).size).toBe(families);
});

test('the text of many families leaves turns of the event loop to others', async () => {
  const few = await reported(100);
  const many = await reported(400);
  expect(few.yields).toBeGreaterThan(0);
  expect(many.yields).toBeGreaterThan(2 * few.yields);
  // Not after each of them: that would take as many turns as there are families.
  expect(many.yields).toBeLessThan(400 / 10);
  expect(many.pieces.length).toBeGreaterThan(few.pieces.length);
});
