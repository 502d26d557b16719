/** One step of a transition: a transaction that commits its work, its cursor and its counters together (docs/migrations.md). */

import { unreachable } from '#base';
import {
  type Catalog,
  decodeTransition,
  encodeTransition,
  isEnded,
  liveTransition,
  moveTransition,
  namesOf,
  stateOf,
  type Table,
  type Transition,
  type TransitionRecord,
  tableById,
  transitionKey,
} from '#catalog';
import { readValue } from '#storage';
import { activate } from './activate.ts';
import { type Scanned, type ScanRange, scannedOf } from './chunk.ts';
import { constraintChunk } from './constraint-chunk.ts';
import { conclude, endAs } from './end.ts';
import type { CatalogMove, TransitionHost } from './host.ts';
import { indexChunk } from './index-chunk.ts';
import { replacementChunk } from './replacement-chunk.ts';
import type { StepCommit, Stepping } from './stepping.ts';

/**
 * `idle`: the transition has to wait for others. `contended`: the commit conflicted with another one. `lost`: the transition has ended, or
 * another worker owns it.
 */
export type StepOutcome = 'advanced' | 'idle' | 'contended' | 'lost';

interface StepOptions {
  /** The epoch under which the caller owns the transition. */
  readonly epoch: number;
  readonly rowsMax: number;
}

export async function stepTransition(
  host: TransitionHost,
  id: number,
  { epoch, rowsMax }: StepOptions,
): Promise<StepOutcome> {
  return inTransaction(host, id, async (stepping) => {
    if (stepping.record.epoch !== epoch) return 'lost';
    return work(stepping, rowsMax);
  });
}

/** Rows that were processed outside of a transaction. */
interface ScannedOutside {
  readonly epoch: number;
  /** The cursor of the transition before these rows. */
  readonly cursor: string | undefined;
  readonly scanned: Scanned;
  readonly isEnd: boolean;
}

/** Records the progress of a transition. */
export async function passScanned(
  host: TransitionHost,
  id: number,
  { epoch, cursor, scanned, isEnd }: ScannedOutside,
): Promise<StepOutcome> {
  return inTransaction(host, id, async (stepping) => {
    const { record, transition } = stepping;
    const isThere = record.epoch === epoch && record.cursor === cursor;
    if (!isThere || transition.state !== 'building') return 'lost';
    return scannedTo(stepping, scanned, isEnd);
  });
}

/** Takes over the transition from its present owner. If the outcome is `advanced`, the caller owns it under `epoch`. */
export async function claimTransition(
  host: TransitionHost,
  id: number,
): Promise<{ readonly outcome: StepOutcome; readonly epoch: number }> {
  let epoch = 0;
  const outcome = await inTransaction(host, id, async ({ record }) => {
    epoch = record.epoch + 1;
    return { record: { ...record, epoch } };
  });
  return { outcome, epoch };
}

/** Stores the latest error of the worker in the record. A conflict is not retried. */
export async function noteTrouble(
  host: TransitionHost,
  id: number,
  lastError: string,
): Promise<void> {
  await inTransaction(host, id, async ({ record }) => ({ record: { ...record, lastError } }));
}

type StepWork = (stepping: Stepping) => Promise<StepCommit | 'idle' | 'lost'>;

/** Runs `step` on a live transition and commits the result with the next generation. */
export async function inTransaction(
  host: TransitionHost,
  id: number,
  step: StepWork,
): Promise<StepOutcome> {
  const { catalog } = host;
  const live = liveTransition(catalog, id);
  if (live === undefined) return 'lost';
  const transaction = host.store.begin();
  try {
    const stored = await readValue(transaction, transitionKey(id));
    if (stored === undefined) return 'lost';
    const record = decodeTransition(stored);
    const asked = await step({ host, transaction, catalog, record, ...live });
    if (typeof asked === 'string') return asked;
    const { table, transition } = live;
    const after = { ...asked.record, generation: record.generation + 1 };
    // The catalog forgets an ended transition: its names are then read from the record.
    const names = isEnded(after.state) ? { names: namesOf(table, transition) } : {};
    transaction.put(transitionKey(id), encodeTransition({ ...after, ...names }));
    const move: CatalogMove | undefined = asked.after && { before: catalog, after: asked.after };
    const outcome = await host.commit(transaction, move, () => isSame(host.catalog, table));
    if (outcome.kind === 'unknown') throw outcome.cause;
    return outcome.kind === 'committed' ? 'advanced' : 'contended';
  } finally {
    transaction.release();
  }
}

function isSame(catalog: Catalog, table: Table): boolean {
  return tableById(catalog, table.id) === table;
}

async function work(stepping: Stepping, rowsMax: number): Promise<StepCommit | 'idle'> {
  const { catalog, transition, record } = stepping;
  switch (transition.state) {
    case 'waiting':
      return wait(stepping);
    case 'building':
      return build(stepping, rowsMax);
    case 'catching_up':
      // Writers keep the index up to date, so that no work remains in this state.
      return moved(catalog, record, 'validating');
    case 'validating':
      return conclude(stepping);
    default:
      return unreachable(transition.state);
  }
}

/** Waits until every prerequisite has ended. If one was not published, the transition fails. */
function wait(stepping: Stepping): StepCommit | 'idle' {
  const { catalog, transition } = stepping;
  const states = transition.prerequisites.map((id) => ({ id, state: stateOf(catalog, id) }));
  const vain = states.find(
    ({ state }) => !(state !== undefined && state !== 'failed' && state !== 'cancelled'),
  );
  if (vain !== undefined) {
    const what =
      vain.state === undefined
        ? 'does not exist any more'
        : vain.state === 'failed'
          ? 'has failed'
          : 'was cancelled';
    return endAs(stepping, 'failed', `the prerequisite tr${vain.id} ${what}`);
  }
  return states.every(({ state }) => state === 'ready') ? activate(stepping) : 'idle';
}

async function build(stepping: Stepping, rowsMax: number): Promise<StepCommit> {
  const { record } = stepping;
  const after = record.cursor === undefined ? undefined : Uint8Array.fromHex(record.cursor);
  const scanned = await scan(stepping, { after, rowsMax });
  return scannedTo(stepping, scanned, scanned.count < rowsMax);
}

function scannedTo(
  { catalog, transition, record }: Stepping,
  { count, last }: Scanned,
  isEnd: boolean,
): StepCommit {
  const cursor = last === undefined ? {} : { cursor: last.toHex() };
  const scanned = { ...record, ...cursor, rowsScanned: record.rowsScanned + count };
  if (!isEnd) return { record: scanned };
  // This was the end of the table, and writers add the entries of later rows: no wait is needed.
  const next = transition.kind === 'index_build' ? 'catching_up' : 'validating';
  return moved(catalog, scanned, next);
}

async function scan(
  { catalog, table, transaction, transition }: Stepping,
  from: ScanRange,
): Promise<Scanned> {
  switch (transition.kind) {
    case 'index_build':
      return indexChunk(transaction, table, transition.index, from);
    case 'column_replacement':
      return scannedOf(await replacementChunk(transaction, table, transition, from));
    case 'constraint_validation':
      return scannedOf(await constraintChunk(transaction, { ...transition, catalog, table }, from));
    default:
      return unreachable(transition);
  }
}

function moved(
  catalog: Catalog,
  record: TransitionRecord,
  state: Exclude<Transition['state'], 'waiting'>,
): StepCommit {
  return { record: { ...record, state }, after: moveTransition(catalog, record.id, state) };
}
