/**
 * What somebody takes from a store that nobody has open: a name, or the end of a file. It is refused, naming what is missing, or it opens
 * with all that it had and goes on; never with less.
 */

import { StorageError, type StorageFault } from '#storage';
import { proveWhole } from './finale.ts';
import { Life } from './life.ts';
import type { StoreAtRest } from './medium.ts';
import type { Simulation } from './simulation.ts';
import { openSession } from './writer.ts';
import { Wrong } from './wrong.ts';

type Vanished = StorageFault & { readonly kind: 'vanished' };

/** A fence of a bucket's log is as long as this, and every group is longer. */
const fenceBytes = 56;

/** Of a copy; nothing else goes wrong. */
export async function loseSomething(simulation: Simulation): Promise<void> {
  const atRest = simulation.medium.copy();
  const loss = pickLoss(simulation, atRest);
  if (loss !== undefined) await lose(simulation, atRest, loss);
}

/** In a bucket an older manifest says less than the log and the tables beside it, and rarely so that it shows: the newest one goes in each seed. */
export async function loseNewestManifest(simulation: Simulation): Promise<void> {
  const atRest = simulation.medium.copy();
  const name = atRest.medium.manifests().at(-1);
  if (name === undefined || atRest.hasRevived('manifest/')) return;
  await lose(simulation, atRest, takenAway(atRest, name));
}

async function lose(simulation: Simulation, atRest: StoreAtRest, loss: Loss): Promise<void> {
  loss.happen();
  const tables = atRest.medium.tables();
  const shadow = simulation.shadow(atRest.medium);
  let first: Awaited<ReturnType<typeof openSession>>;
  try {
    first = await openSession(shadow, shadow.begin(new Life('V')));
  } catch (error) {
    if (isNamed(error, loss.name)) return;
    const kept = new Set(atRest.medium.tables());
    if (isOfOlderManifest(error, loss.name) && tables.every((name) => kept.has(name))) return;
    throw new Wrong(`${loss.what}: ${String(error)}`, { cause: error });
  }
  try {
    await proveWhole(shadow, first);
  } catch (error) {
    throw new Wrong(`${loss.what}, and opened: ${String(error)}`, { cause: error });
  }
}

interface Loss {
  readonly name: string;
  readonly what: string;
  readonly happen: () => void;
}

function pickLoss(simulation: Simulation, atRest: StoreAtRest): Loss | undefined {
  const { dice, settings } = simulation;
  const names = atRest.names.filter((name) => /^(?:epoch|manifest|wal)\//.test(name));
  const kept = names.filter((name) => !/\.(?:spare|fill|next)$/.test(name));
  if (kept.length === 0) return undefined;
  const name = dice.pick(kept);
  // Below the newest one there may be another that a writer that was over has made: in a bucket what it says may look complete.
  if (name.startsWith('manifest/') && atRest.hasRevived('manifest/')) return undefined;
  const isEnd = settings.isBucket && name === kept.findLast((each) => each.startsWith('wal/'));
  const bytes = atRest.bytesOf(name);
  // The content of a claim says nothing; and nothing follows the last group of a bucket that could show that there was one.
  const mayBeCut = !name.startsWith('epoch/');
  const mayGo = !isEnd || bytes <= fenceBytes;
  if (mayGo && (!mayBeCut || dice.chance(0.5))) {
    return takenAway(atRest, name);
  }
  const length = dice.pick([0, dice.below(bytes)]);
  return {
    name,
    what: `${name} was cut to ${length} of ${bytes} bytes`,
    happen: () => atRest.cut(name, length),
  };
}

function takenAway(atRest: StoreAtRest, name: string): Loss {
  return { name, what: `${name} was taken away`, happen: () => atRest.remove(name) };
}

/** Whether `error` says that `name` is damaged or missing, or may be. */
function isNamed(error: unknown, name: string): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at instanceof StorageError)) continue;
    const { fault } = at;
    if (fault.kind !== 'corrupt' && fault.kind !== 'vanished') continue;
    if (fault.object === name) return true;
    return fault.kind === 'vanished' && name.startsWith('manifest/') && mayBe(fault, name);
  }
  return false;
}

/** Without the newest manifest an older one may be left, which names a table that has been merged and deleted. What it was merged into must stay. */
function isOfOlderManifest(error: unknown, name: string): boolean {
  if (!name.startsWith('manifest/')) return false;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!(at instanceof StorageError) || at.fault.kind !== 'missing') continue;
    return at.fault.object.startsWith('sst/');
  }
  return false;
}

/** Of a manifest that is gone only that it was not before some other is known. */
function mayBe({ object, orManifestAfter }: Vanished, manifest: string): boolean {
  if (orManifestAfter !== undefined) return manifest > orManifestAfter.replace('*', '~');
  return object.startsWith('manifest/') && manifest >= object.replace('*', '');
}
