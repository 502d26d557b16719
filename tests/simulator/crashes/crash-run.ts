/** One scenario, crashed at one effect; then the opening that follows, crashed at one effect too; then a peaceful one. */

import { finale } from '../finale.ts';
import { Life } from '../life.ts';
import type { Session } from '../session.ts';
import { Simulation } from '../simulation.ts';
import { openSession } from '../writer.ts';
import type { Scenario } from './scenarios.ts';

export interface CrashPoint {
  readonly scenario: Scenario;
  readonly isBucket: boolean;
  readonly seed: number;
  /** Effects of the act, and of the opening after it, that are the last one; 0 for none. */
  readonly at: number;
  readonly thenAt: number;
}

/** How many effects the two would have had. */
export interface CrashReach {
  readonly act: number;
  readonly opening: number;
}

const calm = {
  writers: 1,
  readers: 0,
  clients: 1,
  operations: 1,
  thinkMs: 0,
  diskMs: 0.1,
  lookMs: 0.001,
  valueBytes: 30,
  largeValues: 0,
  deletions: 0.3,
  longTransactions: 0,
  plots: 0,
  faultShare: 0,
  roomBytes: Number.POSITIVE_INFINITY,
  keepsEntries: true,
  isFollowed: false,
  segmentBytes: 16_384,
  losses: 1,
  capturing: 0,
} as const;

const store = {
  memtableBytes: 50_000,
  flushedTablesMax: 3,
  flushedTablesPerKeyMax: 3,
  blockBytes: 256,
  tableBytes: 1000,
  idleMs: 5_000,
  flushIntervalMs: 1,
} as const;

/** Throws `Wrong` when an oracle fails. */
export function runCrash(point: CrashPoint): CrashReach {
  const { scenario, isBucket, seed } = point;
  const reach = { act: 0, opening: 0 };
  const settings = { ...calm, isBucket, store: { ...store, ...scenario.settings } };
  const play = async (simulation: Simulation): Promise<void> => {
    reach.act = await act(simulation, point);
    const life = simulation.begin(new Life('R'));
    life.crashAt(point.thenAt);
    await attempt(simulation, life, async () => {
      await openSession(simulation, life);
    });
    reach.opening = life.effects;
    crash(simulation);
    await finale(simulation);
  };
  new Simulation(seed, { settings, play }).run();
  return reach;
}

/** The number of effects that the act has had. */
async function act(simulation: Simulation, { scenario, at }: CrashPoint): Promise<number> {
  const first = simulation.begin(new Life('P'));
  if (scenario.act === undefined && scenario.prepare === undefined) {
    return openCrashing(simulation, first, at);
  }
  const session = await openSession(simulation, first);
  await scenario.prepare?.(session, simulation);
  if (scenario.act === undefined) {
    await leave(simulation, session, scenario);
    return openCrashing(simulation, simulation.begin(new Life('Q')), at);
  }
  const { act } = scenario;
  first.crashAt(at);
  await attempt(simulation, first, () => act(session, simulation));
  crash(simulation);
  return first.effects;
}

async function leave(simulation: Simulation, session: Session, { leave }: Scenario): Promise<void> {
  if (leave === 'alive') return;
  if (leave === 'closed') await session.store.close();
  else crash(simulation);
  simulation.lives.clear();
}

async function openCrashing(simulation: Simulation, life: Life, at: number): Promise<number> {
  life.crashAt(at);
  await attempt(simulation, life, async () => {
    await openSession(simulation, life);
  });
  crash(simulation);
  return life.effects;
}

/** Until it is done, or the process has ended. */
async function attempt(
  simulation: Simulation,
  life: Life,
  work: () => Promise<void>,
): Promise<void> {
  const done = work().catch((error: unknown) => simulation.excused(error, life));
  await Promise.race([done, life.ended]);
}

function crash(simulation: Simulation): void {
  simulation.medium.losePower();
  for (const life of simulation.lives) life.kill();
  simulation.lives.clear();
}
