/** The end of a seed: nothing goes wrong any more, so the store opens, holds what it must, works, and has nothing left lying about. */

import { aftermath } from './aftermath.ts';
import { loseNewestManifest, loseSomething } from './at-rest.ts';
import type { Commit } from './history.ts';
import { Life } from './life.ts';
import { gone } from './plots.ts';
import { everything, readState } from './questions.ts';
import type { Session } from './session.ts';
import type { Simulation } from './simulation.ts';
import { TransactionRun } from './transaction.ts';
import { openSession } from './writer.ts';
import { Wrong } from './wrong.ts';

export async function finale(simulation: Simulation): Promise<void> {
  const { faults, medium, scheduler, settings } = simulation;
  faults.isOver = true;
  medium.setRoom(Number.POSITIVE_INFINITY);
  for (const life of simulation.lives) life.kill();
  simulation.lives.clear();
  // What was under way arrives.
  await scheduler.wait(200_000, undefined, 'calm');
  for (let time = 0; time < settings.losses; time++) await loseSomething(simulation);
  if (settings.isBucket) await loseNewestManifest(simulation);
  const first = await openSession(simulation, simulation.begin(new Life('Y')));
  const tip = await proveWhole(simulation, first);
  if (settings.isFollowed) await aftermath(simulation, tip);
}

/** An opened store works, and holds the same when it is opened again; what it holds then. */
export async function proveWhole(simulation: Simulation, first: Session): Promise<Commit> {
  const { medium, settings } = simulation;
  await commitSome(first);
  await first.store.tidy();
  await first.store.close();
  simulation.lives.clear();
  const last = await openSession(simulation, simulation.begin(new Life('Z')));
  if (last.tip !== first.tip) throw new Wrong(`closed at ${first.tip.sequence}, then another`);
  await last.store.tidy();
  // Pins of readers that were killed keep tables for another hour.
  if (settings.readers === 0) checkLeftovers(last, medium.tables());
  await checkDropped(last);
  const { tip } = last;
  await last.store.close();
  simulation.lives.clear();
  return tip;
}

async function commitSome(session: Session): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const run = new TransactionRun(session);
    await run.work();
    const outcome = await run.commit();
    if (outcome.kind !== 'committed')
      throw new Wrong(`${outcome.kind} though nobody else is there`);
    run.release();
  }
  const snapshot = session.store.snapshot();
  await session.check(snapshot, session.tip, everything('forward'));
  snapshot.release();
}

/** Tables that nobody needs have been deleted. */
function checkLeftovers({ store }: Session, tables: readonly string[]): void {
  const runs = store.statistics().runs;
  const needed = runs.reduce((sum, run) => sum + run.tables, 0);
  if (tables.length > needed) {
    throw new Wrong(`${tables.length} tables are there, ${needed} of them needed`);
  }
}

/** Nothing is left of what was given up. */
async function checkDropped({ store, keys, tip }: Session): Promise<void> {
  const snapshot = store.snapshot();
  const left = await readState(keys, snapshot);
  snapshot.release();
  const which = tip.state.findIndex((value, key) => value === gone && left[key] !== undefined);
  if (which >= 0) throw new Wrong(`key ${which} was dropped, and is still there`);
}
