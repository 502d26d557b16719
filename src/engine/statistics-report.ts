/** The content of `GET /statistics`: the statistics that the planner uses, and those of the store. */

import type { World } from '#base';
import { type Corpus, type CorpusCourier, modelReport, synopsisReport } from '#statistics';
import type { Database } from './database.ts';
import { physicalCost } from './physical-cost.ts';

/** Number of models or columns that are encoded between two yields. */
const portion = 64;

/** Counters of the statistics relay, by member name. */
export type RelayReport = Readonly<Record<string, string | number | boolean>>;

/** Returns the statistics as JSON, in pieces. Yields between them. */
export async function statisticsText(
  database: Database,
  relay?: RelayReport,
  corpus?: Corpus | CorpusCourier,
): Promise<readonly string[]> {
  const { feedback, surveys, catalog, store, world, backend } = database;
  const models = feedback.tracked;
  const found = surveys?.reported(catalog.tables) ?? [];
  const head = {
    absorbed: feedback.absorbed,
    dropped: feedback.dropped,
    evicted: feedback.evicted,
    shed: feedback.shed,
    corpus: (await corpus?.report()) ?? noCorpus,
    relay: { ...noRelay, ...relay },
    trackedFamilies: models.length,
  };
  const last = { physicalCost: physicalCost(store.statistics(), backend) };
  const modelTexts = await texts(
    models,
    (model) => JSON.stringify(modelReport(model, feedback.frequencyOf(model))),
    () => 1,
    world,
  );
  const synopsisTexts = await texts(
    found,
    ({ synopsis, changes }) => JSON.stringify(synopsisReport(synopsis, changes)),
    ({ synopsis }) => synopsis.columns.length + synopsis.groups.length,
    world,
  );
  return [
    `${JSON.stringify(head).slice(0, -1)},"models":[`,
    ...modelTexts,
    '],"synopses":[',
    ...synopsisTexts,
    `],${JSON.stringify(last).slice(1)}`,
  ];
}

/** Returns one text per portion, with commas between the elements. */
async function texts<T>(
  all: readonly T[],
  textOf: (one: T) => string,
  costOf: (one: T) => number,
  { scheduler }: World,
): Promise<readonly string[]> {
  const pieces: string[] = [];
  let piece = '';
  let cost = 0;
  for (const [i, one] of all.entries()) {
    piece += `${i === 0 ? '' : ','}${textOf(one)}`;
    cost += costOf(one);
    if (cost < portion) continue;
    pieces.push(piece);
    piece = '';
    cost = 0;
    await scheduler.yield();
  }
  pieces.push(piece);
  return pieces;
}

/** The report of a process that records no programs. */
const noCorpus = {
  enabled: false,
  captured: 0,
  skippedOversize: 0,
  droppedQueue: 0,
  shedPending: 0,
};

/** The report of a process without a relay. */
const noRelay = {
  received: 0,
  receivedAlreadyApplied: 0,
  receivedRejected: 0,
  receivedSaturated: 0,
  receivedCorpusOversize: 0,
  sources: 0,
  mergedObservations: 0,
  corpusAdopted: 0,
  refusedStaleFamilies: 0,
};
