/** A store with everything in it that nobody has open, damaged copies of it, and what reading a copy gives. */

import { systemWorld, type World } from '#base';
import { DatabaseError } from '#failure';
import { StorageError, type Store } from '#storage';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import type { DirectoryIo } from '../../../src/storage/object/directory-io.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import { PlainDirectory } from './plain-directory.ts';

const options = {
  storage: 'file',
  memtableBytes: 2_500,
  flushedRunsMax: 4,
  blockBytes: 1024,
  tableBytes: 3_000,
  filterKeysMin: 0,
} as const;

const segmentBytes = 16 << 10;

type State = ReadonlyMap<string, string>;

export interface StoreAtRest {
  readonly directory: PlainDirectory;
  /** After each commit. */
  readonly states: readonly State[];
}

export async function openCopy(directory: DirectoryIo) {
  const world = restfulWorld();
  const parts = directoryLocation(directory, world, segmentBytes);
  const place = { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
  return openStoreIn(place, { ...options, world });
}

type Writes = Readonly<Record<string, string | undefined>>;

/** Commits, and adds the state after it. */
export async function commitInto(store: Store, states: State[], writes: Writes): Promise<void> {
  const state = new Map(states.at(-1));
  const transaction = store.begin();
  for (const [key, value] of Object.entries(writes)) {
    if (value === undefined) transaction.delete(Buffer.from(key));
    else transaction.put(Buffer.from(key), Buffer.from(value));
    if (value === undefined) state.delete(key);
    else state.set(key, value);
  }
  await transaction.commit();
  transaction.release();
  states.push(state);
}

/** Several runs, a merged one, and records that are in the log only. */
export async function storeAtRest(end: 'closed' | 'killed'): Promise<StoreAtRest> {
  const directory = new PlainDirectory();
  await prepareTree(directory);
  const states: State[] = [new Map()];
  const store = await openCopy(directory);
  const commit = (writes: Writes) => commitInto(store, states, writes);
  for (let round = 0; round < 9; round++) {
    for (let i = 0; i < 12; i++) {
      const value = `${round}-${i} `.repeat(4);
      await commit({ [`key ${(i * 7 + round) % 40}`]: value, [`old ${round}`]: `${i}` });
    }
    await commit({ [`key ${round}`]: undefined });
    await store.idle();
  }
  for (let i = 0; i < 5; i++) await commit({ [`tail ${i}`]: `value ${i}` });
  const left = directory.copy();
  await store.close();
  return { directory: end === 'closed' ? directory : left, states };
}

/** `right`: as it was. `named`: the failure names the file. `cut`: the last commits are missing, as after a torn write. */
export type Verdict = 'right' | 'named' | 'cut';

/** Throws when something wrong is shown, or a failure does not say where. */
export async function judge(
  atRest: StoreAtRest,
  damaged: DirectoryIo,
  file: string,
): Promise<Verdict> {
  let store: Store;
  try {
    store = await openCopy(damaged);
  } catch (error) {
    return named(error, file);
  }
  try {
    return await judgeReads(store, atRest, file);
  } finally {
    await store.close().catch((error) => named(error, file));
  }
}

async function judgeReads(store: Store, atRest: StoreAtRest, file: string): Promise<Verdict> {
  const snapshot = store.snapshot();
  const state = atRest.states[snapshot.sequence];
  if (state === undefined) throw new Error(`sequence ${snapshot.sequence} was never made`);
  let verdict: Verdict = snapshot.sequence === atRest.states.length - 1 ? 'right' : 'cut';
  const keys = new Set(atRest.states.flatMap((it) => [...it.keys()]));
  for (const key of keys) {
    try {
      let value = snapshot.get(Buffer.from(key));
      while (value instanceof Promise) value = (await value) ?? snapshot.get(Buffer.from(key));
      const text = value === undefined ? undefined : Buffer.from(value as Uint8Array).toString();
      if (text !== state.get(key)) throw new Error(`${key} is ${text}, not ${state.get(key)}`);
    } catch (error) {
      verdict = named(error, file);
    }
  }
  for (const direction of ['forward', 'backward'] as const) {
    const cursor = snapshot.scan({ from: new Uint8Array(), to: undefined }, direction);
    const seen: string[] = [];
    const wanted = [...state].map(([key, value]) => `${key}=${value}`).sort(byBytes);
    if (direction === 'backward') wanted.reverse();
    try {
      for (;;) {
        const next = cursor.next();
        if (next instanceof Promise) await next;
        else if (!next) break;
        else {
          const key = Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo));
          const value = Buffer.from(cursor.value.subarray(cursor.valueFrom, cursor.valueTo));
          seen.push(`${key}=${value}`);
        }
      }
      if (seen.length < wanted.length) throw new Error('a scan ended early');
    } catch (error) {
      verdict = named(error, file);
    } finally {
      cursor.close();
    }
    if (seen.some((entry, i) => entry !== wanted[i]))
      throw new Error(`a scan shows ${seen.join()}`);
  }
  snapshot.release();
  return verdict;
}

function named(error: unknown, file: string): Verdict {
  if (!(error instanceof StorageError) && !(error instanceof DatabaseError)) throw error;
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) texts.push(at.message);
  if (!texts.some((text) => text.includes(file))) {
    throw new Error(`${file} is not named: ${texts.join(' < ')}`, { cause: error });
  }
  return 'named';
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(
    Buffer.from(a.split('=')[0] as string),
    Buffer.from(b.split('=')[0] as string),
  );
}

/** Nothing happens by itself. */
function restfulWorld(): World {
  const world = systemWorld();
  const after = () => ({ cancel: () => {} });
  return { ...world, scheduler: { ...world.scheduler, after } };
}
