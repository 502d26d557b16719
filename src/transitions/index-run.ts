/**
 * Enters many rows into an index in the making at once: the rows of one state are read in slices, their entries sorted in memory and added to the store
 * below what writers have made of the index since the build began (docs/decisions/0016). No commit can be in their way: of a row that has changed, writers have
 * put and deleted the entries themselves, and that stays.
 */

import { afterKey, type Pending, runSteps } from '#base';
import type { Index, Table } from '#catalog';
import { type Catalog, columnsOf, decodeTransition, liveTransition, transitionKey } from '#catalog';
import { EntryRun, KeyedColumns, type RunLimits } from '#executor';
import { indexLayout, tableLayout } from '#layout';
import type { Ingestion, KeyRange, ReadView } from '#storage';
import type { Scanned } from './chunk.ts';
import type { TransitionHost } from './host.ts';
import type { Pace } from './pace.ts';
import { readValue } from './reading.ts';
import { passScanned, type StepOutcome } from './step.ts';

/** With fewer rows a table of their own is not worth its manifest. */
export const usualRowsMin = 20_000;
/** Lost races after which the commit of a run is made while no one else commits. */
const racesMax = 2;
/** Rows that are read between two looks at the clock. */
const rowsAtOnce = 512;

export interface IndexRuns {
  /** Rows that are to be left. */
  readonly rowsMin: number;
  readonly limits?: RunLimits | undefined;
  readonly pace: Pace;
  /** The worker is to come to an end: what is not committed is left. */
  readonly isStopping: () => boolean;
}

interface Building {
  readonly table: Table;
  readonly index: Index;
}

/** Undefined when this is nothing for a run. */
export async function indexRun(
  host: TransitionHost,
  id: number,
  epoch: number,
  runs: IndexRuns,
): Promise<StepOutcome | undefined> {
  const building = buildingOf(host.catalog, id);
  if (building === undefined || building.index.unique) return undefined;
  const { range } = tableLayout(building.table);
  if (host.store.entriesIn(range) < runs.rowsMin) return undefined;
  const ingestion = host.store.ingest();
  if (ingestion === undefined) return undefined;
  try {
    const stored = await readValue(ingestion.snapshot, transitionKey(id));
    if (stored === undefined) return 'lost';
    const record = decodeTransition(stored);
    if (record.epoch !== epoch) return 'lost';
    const { cursor } = record;
    const from = cursor === undefined ? range.from : afterKey(Uint8Array.fromHex(cursor));
    const rest = { from, to: range.to };
    if (host.store.entriesIn(rest) < runs.rowsMin) return undefined;
    const entered = await enter(ingestion, building, rest, {
      ...runs,
      isWanted: () => buildingOf(host.catalog, id)?.index.physicalId === building.index.physicalId,
    });
    if (entered === undefined) return 'idle';
    return await pass(host, id, { epoch, cursor, ...entered });
  } finally {
    ingestion.release();
    runs.pace.started();
  }
}

function buildingOf(catalog: Catalog, id: number): Building | undefined {
  const live = liveTransition(catalog, id);
  if (live === undefined) return undefined;
  const { table, transition } = live;
  const isBuilding = transition.kind === 'index_build' && transition.state === 'building';
  return isBuilding ? { table, index: transition.index } : undefined;
}

interface Entered {
  readonly scanned: Scanned;
  /** There were no rows behind these. */
  readonly isEnd: boolean;
}

interface Entering extends IndexRuns {
  readonly isWanted: () => boolean;
}

/** Undefined when it was given up. */
async function enter(
  ingestion: Ingestion,
  building: Building,
  range: KeyRange,
  { limits, pace, isStopping, isWanted }: Entering,
): Promise<Entered | undefined> {
  const isOver = (): boolean => isStopping() || !isWanted();
  const prefixLength = indexLayout(building.table, building.index).range.from.length;
  const run = new EntryRun(prefixLength, limits);
  const entered = await readRows(ingestion.snapshot, building, range, { run, pace, isOver });
  if (entered === undefined) return undefined;
  // Of one run at a time, whose memory is bounded.
  const sorting = {
    pause: (rows?: number): Pending | undefined => pace.pause(rows),
    hold: () => {},
    release: () => {},
  };
  const wait = <T>(pending: Promise<T>): Promise<T> => pending;
  const order = await runSteps(run.order(sorting), { wait });
  if (isOver()) return undefined;
  return (await ingestion.add(run.handOut(order), isWanted)) ? entered : undefined;
}

interface Reading {
  readonly run: EntryRun;
  readonly pace: Pace;
  readonly isOver: () => boolean;
}

async function readRows(
  view: ReadView,
  { table, index }: Building,
  range: KeyRange,
  { run, pace, isOver }: Reading,
): Promise<Entered | undefined> {
  const layout = indexLayout(table, index);
  const rows = new KeyedColumns(table, columnsOf(table, index.columns));
  const cursor = view.scan(range, 'forward');
  let count = 0;
  let last: Uint8Array | undefined;
  try {
    cursor.preferRuns?.();
    for (;;) {
      const step = cursor.next();
      if (step instanceof Promise) {
        await step;
        continue;
      }
      if (!step) return { scanned: { count, last }, isEnd: true };
      rows.read(cursor, rowsAtOnce);
      for (let i = 0; i < rows.count; i++) {
        rows.takeKey(i);
        const { columns, key, keyFrom, keyTo } = rows;
        run.added(layout.appendEntry(run.writer, columns, i, key, keyFrom, keyTo));
      }
      count += rows.count;
      if (run.isFull) {
        last = rows.key.slice(rows.keyFrom, rows.keyTo);
        return { scanned: { count, last }, isEnd: false };
      }
      const pause = pace.pause(rows.count);
      if (pause === undefined) continue;
      last = rows.key.slice(rows.keyFrom, rows.keyTo);
      await pause;
      if (isOver()) return undefined;
    }
  } finally {
    cursor.close();
  }
}

async function pass(
  host: TransitionHost,
  id: number,
  outside: Parameters<typeof passScanned>[2],
): Promise<StepOutcome> {
  for (let races = 0; ; races++) {
    const once = () => passScanned(host, id, outside);
    const outcome = await (races < racesMax ? once() : host.store.exclusive(once));
    if (outcome !== 'contended' || races > racesMax) return outcome;
  }
}
