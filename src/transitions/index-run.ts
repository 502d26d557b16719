/**
 * Adds many rows to an index that is being built: it reads the rows of one snapshot with pauses, sorts their entries in memory, and adds them to
 * the store below the writes that writers have made to the index since the build began (docs/decisions/0016). No commit can conflict with them:
 * for a changed row, writers have put and deleted the entries themselves, and these writes take precedence.
 */

import { afterKey } from '#base';
import {
  type Catalog,
  columnsOf,
  decodeTransition,
  type Index,
  liveTransition,
  type Table,
  transitionKey,
} from '#catalog';
import { EntryBuffer, KeyedColumns, type RunLimits } from '#executor';
import { indexLayout, tableLayout } from '#layout';
import {
  type EntryCursor,
  eachEntry,
  type Ingestion,
  type KeyRange,
  type ReadView,
  readValue,
} from '#storage';
import type { Scanned } from './chunk.ts';
import type { TransitionHost } from './host.ts';
import { untilWon } from './race.ts';
import { pacedSteps, sortingAt } from './sorting.ts';
import { passScanned, type StepOutcome } from './step.ts';
import { enterUnique } from './unique-run.ts';
import type { WorkerThrottle } from './worker-throttle.ts';

/** Minimum number of rows for which a separate SSTable is worth its manifest. */
export const usualRowsMin = 20_000;
/** Number of rows that are read between two readings of the clock. */
const rowsAtOnce = 512;

export interface IndexRuns {
  /** Minimum number of rows that remain to be added. */
  readonly rowsMin: number;
  readonly limits: RunLimits;
  readonly pace: WorkerThrottle;
  /** Whether the worker has to stop; uncommitted work is then dropped. */
  readonly isStopping: () => boolean;
}

interface Building {
  readonly table: Table;
  readonly index: Index;
}

/** Builds one run of an index. Returns `undefined` if the transition is not an index build, or has too few rows left for a run. */
export async function indexRun(
  host: TransitionHost,
  id: number,
  epoch: number,
  runs: IndexRuns,
): Promise<StepOutcome | undefined> {
  const building = buildingOf(host.catalog, id);
  if (building === undefined) return undefined;
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
    const entered = await enter(host, ingestion, building, rest, {
      ...runs,
      id,
      epoch,
      isWanted: () => buildingOf(host.catalog, id)?.index.physicalId === building.index.physicalId,
    });
    if (typeof entered === 'string') return entered;
    return await untilWon(host, () => passScanned(host, id, { epoch, cursor, ...entered }));
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
  /** Whether no rows follow these. */
  readonly isEnd: boolean;
}

interface Entering extends IndexRuns {
  readonly id: number;
  readonly epoch: number;
  readonly isWanted: () => boolean;
}

/** Returns `Entered`, or an outcome that explains why the rows are not in the index. */
async function enter(
  host: TransitionHost,
  ingestion: Ingestion,
  building: Building,
  rest: KeyRange,
  entering: Entering,
): Promise<Entered | StepOutcome> {
  const { limits, pace, isStopping, isWanted } = entering;
  const isOver = (): boolean => isStopping() || !isWanted();
  const { range } = indexLayout(building.table, building.index);
  const run = new EntryBuffer(range.from.length, limits);
  const entered = await readRows(ingestion.snapshot, building, rest, { run, limits, pace, isOver });
  if (entered === undefined) return 'idle';
  const order = await pacedSteps(run.order(sortingAt(pace)));
  if (isOver()) return 'idle';
  if (building.index.unique) {
    const unique = { ...entering, ingestion, range, run, order, isOver };
    const outcome = await enterUnique(host, unique);
    return outcome === 'advanced' ? entered : outcome;
  }
  return (await ingestion.add(run.handOut(order), isWanted)) ? entered : 'idle';
}

interface Reading {
  readonly run: EntryBuffer;
  readonly limits: RunLimits;
  readonly pace: WorkerThrottle;
  readonly isOver: () => boolean;
}

async function readRows(
  view: ReadView,
  { table, index }: Building,
  range: KeyRange,
  { run, limits, pace, isOver }: Reading,
): Promise<Entered | undefined> {
  const layout = indexLayout(table, index);
  const rows = new KeyedColumns(table, columnsOf(table, index.columns));
  let count = 0;
  let last: Uint8Array | undefined;
  let isGivenUp = false;
  const add = (cursor: EntryCursor) => {
    if (isGivenUp) return false;
    rows.read(cursor, Math.min(rowsAtOnce, limits.entries - run.count));
    for (let i = 0; i < rows.count; i++) {
      rows.takeKey(i);
      const { columns, key, keyFrom, keyTo } = rows;
      run.added(layout.appendEntry(run.writer, columns, i, key, keyFrom, keyTo));
    }
    count += rows.count;
    if (run.isFull) {
      last = rows.key.slice(rows.keyFrom, rows.keyTo);
      return false;
    }
    return pace.pause(rows.count)?.then(() => {
      isGivenUp = isOver();
    });
  };
  await eachEntry(view, range, add, true);
  if (isGivenUp) return undefined;
  return { scanned: { count, last }, isEnd: last === undefined };
}
