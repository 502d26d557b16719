/** What a store does while it is made to crash: a preparation in peace, then the act that every effect of is a last one once. */

import { Capture } from '../capture.ts';
import type { Session } from '../session.ts';
import type { Simulation } from '../simulation.ts';
import type { Swarm } from '../swarm.ts';
import { TransactionRun } from '../transaction.ts';

export interface Scenario {
  readonly name: string;
  readonly settings?: Partial<Swarm['store']>;
  readonly prepare?: (session: Session, simulation: Simulation) => Promise<void>;
  /** Undefined: the act is to open the store. */
  readonly act?: (session: Session, simulation: Simulation) => Promise<void>;
  /** How the store is left before it is opened. */
  readonly leave?: 'closed' | 'crashed' | 'alive';
}

export const scenarios: readonly Scenario[] = [
  { name: 'commit', act: (session) => commits(session, 1) },
  { name: 'group commit', act: (session) => together(session, 5) },
  {
    name: 'commit of many sectors',
    act: (session) => put(session, 3, 9_000),
  },
  {
    name: 'large commit',
    settings: { writeShareBytes: 700, memtableBytes: 400 },
    prepare: (session) => commits(session, 1),
    act: async (session) => {
      await large(session);
      await session.store.idle();
    },
  },
  {
    name: 'opening after a large commit',
    settings: { writeShareBytes: 700 },
    prepare: async (session) => {
      await commits(session, 2);
      await large(session);
      await commits(session, 2);
    },
    leave: 'crashed',
  },
  {
    name: 'roll of the segment',
    prepare: (session) => put(session, 1, 3_500),
    act: async (session) => {
      for (let key = 0; key < 4; key++) await put(session, key, 3_500);
    },
  },
  {
    name: 'flush',
    settings: { memtableBytes: 200 },
    prepare: (session) => commits(session, 2),
    act: async (session) => {
      await commits(session, 6);
      await session.store.idle();
    },
  },
  {
    name: 'compaction',
    settings: { memtableBytes: 150 },
    prepare: async (session) => {
      await commits(session, 8);
      await session.store.idle();
    },
    act: async (session) => {
      await commits(session, 8);
      await session.store.idle();
    },
  },
  {
    name: 'tidying',
    prepare: (session) => commits(session, 10),
    act: (session) => session.store.tidy(),
  },
  {
    name: 'collecting',
    prepare: async (session) => {
      await commits(session, 6);
      await session.store.tidy();
      await commits(session, 6);
    },
    act: async (session) => {
      await session.store.tidy();
      await commits(session, 1);
      await session.store.tidy();
    },
  },
  {
    name: 'emptying',
    prepare: async (session) => {
      await commits(session, 5);
      await session.store.tidy();
    },
    act: async (session) => {
      await clear(session);
      await session.store.tidy();
    },
  },
  {
    name: 'closing',
    prepare: (session) => commits(session, 3),
    act: async (session) => {
      const last = put(session, 2, 3_000);
      await session.store.close();
      await last;
    },
  },
  {
    name: 'keeping programs',
    settings: { memtableBytes: 300 },
    prepare: async (session, simulation) => {
      await commits(session, 2);
      await keep(session, simulation, 6);
    },
    // What is kept already goes, for the most part: there is room for few.
    act: async (session, simulation) => {
      await keep(session, simulation, 6);
      await keep(session, simulation, 6);
    },
  },
  { name: 'the first opening' },
  { name: 'opening', prepare: (session) => commits(session, 6), leave: 'closed' },
  {
    name: 'opening after a crash',
    settings: { memtableBytes: 300 },
    prepare: (session) => commits(session, 9),
    leave: 'crashed',
  },
  {
    name: 'taking over',
    settings: { memtableBytes: 300 },
    prepare: (session) => commits(session, 5),
    leave: 'alive',
  },
];

export function scenarioNamed(wanted: string): Scenario | undefined {
  return scenarios.find(({ name }) => name === wanted);
}

/** A process that keeps so many executions of programs, and stops. */
async function keep(session: Session, simulation: Simulation, executions: number): Promise<void> {
  const capture = new Capture(simulation, session);
  for (let i = 0; i < executions; i++) capture.offer();
  await capture.stop();
}

async function commits(session: Session, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await transact(session);
}

async function together(session: Session, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => transact(session)));
}

/** Reads and writes anything; a conflict is no failure. */
async function transact(session: Session): Promise<void> {
  const run = new TransactionRun(session);
  try {
    await run.work();
    // What only reads has no effect.
    run.put(session.tip.sequence % session.keys.count, session.anyValue());
    const outcome = await run.commit();
    if (outcome.kind === 'unknown') throw outcome.cause;
  } finally {
    run.release();
  }
}

/** Writes more than its share, in two parts. */
async function large(session: Session): Promise<void> {
  const run = new TransactionRun(session);
  for (let part = 0; part < 2; part++) {
    for (let key = part; key < Math.min(8, session.keys.count); key += 3)
      run.put(key, session.anyValue());
    await run.relieve();
  }
  const outcome = await run.commit();
  run.release();
  if (outcome.kind === 'unknown') throw outcome.cause;
}

function put(session: Session, key: number, bytes: number): Promise<void> {
  return write(session, (run) => run.put(key, Buffer.alloc(bytes, `${session.tip.sequence}`)));
}

function clear(session: Session): Promise<void> {
  return write(session, (run) => {
    for (let key = 0; key < session.keys.count; key++) run.delete(key);
  });
}

async function write(session: Session, work: (run: TransactionRun) => void): Promise<void> {
  const run = new TransactionRun(session);
  work(run);
  const outcome = await run.commit();
  run.release();
  if (outcome.kind === 'unknown') throw outcome.cause;
}
