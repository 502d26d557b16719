/** After the end of a seed: tables and manifests go while a writer runs and while none does, and a disk is full at a start. */

import type { Store } from '#storage';
import { openInOrWait, openStoreIn } from '../../src/storage/assembly/open.ts';
import type { Commit } from './history.ts';
import { shows } from './history.ts';
import { Life } from './life.ts';
import { everything, readState } from './questions.ts';
import { simulatedWorld } from './sim-world.ts';
import type { Simulation } from './simulation.ts';
import { openSession, storeOptions } from './writer.ts';
import { Wrong } from './wrong.ts';

/** `tip` is what the store holds; nothing goes wrong but what is done here. */
export async function aftermath(simulation: Simulation, tip: Commit): Promise<void> {
  await deleteUnderWriter(simulation);
  await startWithoutTable(simulation, tip);
  if (!simulation.settings.isBucket) await startOnFullDisk(simulation, tip);
}

/** Within a minute it is there again; but a table of a bucket, which nobody has open. */
async function deleteUnderWriter(simulation: Simulation): Promise<void> {
  const { medium, scheduler, settings } = simulation;
  const session = await openSession(simulation, simulation.begin(new Life('V')));
  await session.store.tidy();
  const [table] = settings.isBucket ? [] : medium.tables();
  const manifest = medium.manifests().at(-1) as string;
  for (const name of [table, manifest]) if (name !== undefined) medium.take(name);
  await scheduler.wait(60_000, undefined, 'a minute');
  if (!medium.manifests().some((name) => name >= manifest)) {
    throw new Wrong(`${manifest} was deleted under a writer, and nobody has written it again`);
  }
  const runs = session.store.statistics().runs;
  const needed = runs.reduce((sum, run) => sum + run.tables, 0);
  if (medium.tables().length < needed) {
    throw new Wrong(`${table} was deleted under a writer, and nobody has made it again`);
  }
  const snapshot = session.store.snapshot();
  await session.check(snapshot, session.tip, everything('forward'));
  snapshot.release();
  await session.store.close();
  simulation.lives.clear();
}

/** Only what the table holds is missing, under its name, until it is put back. */
async function startWithoutTable(simulation: Simulation, tip: Commit): Promise<void> {
  const { medium } = simulation;
  const [table] = medium.tables();
  if (table === undefined) return;
  const putBack = medium.take(table);
  const store = await opened(simulation, openStoreIn, `${table} is missing`);
  try {
    const failure = await stateOf(simulation, store).catch((error: unknown) => error);
    if (failure instanceof Error && !failure.message.includes(table)) {
      throw new Wrong(`${table} is missing, and is not named: ${failure.message}`);
    }
    putBack();
    await expectState(simulation, store, tip);
  } finally {
    await store.close();
    simulation.lives.clear();
  }
}

/** It can be read, and goes on by itself. */
async function startOnFullDisk(simulation: Simulation, tip: Commit): Promise<void> {
  const { medium } = simulation;
  medium.setRoom(0);
  const store = await opened(simulation, openInOrWait, 'the disk is full');
  try {
    await expectState(simulation, store, tip);
    const admitted = await store.admitWrite()?.catch(() => 'refused');
    if (admitted !== 'refused') throw new Wrong('a full disk takes writes');
    if ((await store.observe().catch(() => 'full')) !== 'full') {
      throw new Wrong('a full disk is not told');
    }
    medium.setRoom(Number.POSITIVE_INFINITY);
    const trouble = await store.observe();
    if (trouble !== undefined) throw new Wrong(`there is room, and yet: ${trouble.message}`);
    await store.admitWrite();
    await expectState(simulation, store, tip);
  } finally {
    await store.close();
    simulation.lives.clear();
  }
}

async function opened<T extends Store>(
  simulation: Simulation,
  open: (
    place: Parameters<typeof openStoreIn>[0],
    options: Parameters<typeof openStoreIn>[1],
  ) => Promise<T>,
  why: string,
): Promise<T> {
  const { scheduler, medium, settings } = simulation;
  const life = simulation.begin(new Life('W'));
  const world = simulatedWorld(scheduler, life, simulation.dice.fork(), settings.lookMs);
  const place = await medium.open(life, world, (epoch) => simulation.claimed(life, epoch));
  try {
    return await open(place, { ...storeOptions(simulation), world });
  } catch (error) {
    throw new Wrong(`${why}, and that stops a start: ${String(error)}`, { cause: error });
  }
}

async function stateOf({ keys }: Simulation, store: Store) {
  const snapshot = store.snapshot();
  try {
    return await readState(keys, snapshot);
  } finally {
    snapshot.release();
  }
}

async function expectState(simulation: Simulation, store: Store, tip: Commit): Promise<void> {
  const found = await stateOf(simulation, store);
  if (!shows(found, tip.state)) throw new Wrong(`another state than that at ${tip.sequence}`);
}
