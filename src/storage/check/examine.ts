/**
 * Checks whether a storage location has the properties that a store needs (`svc doctor store`): it stores the bytes written, shows them
 * immediately, and creates an object only once.
 */

import { equalBytes, type World } from '#base';
import { probeName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { type CheckResult, failed, findingOf, passed, type StoreCheck } from './findings.ts';
import { race } from './race.ts';

export interface Examination {
  readonly rounds: number;
  readonly creators: number;
}

const largeBytes = 4 << 20;
const listedObjects = 20;

/** Creates objects below `probe/` and deletes them. Ends early if the location cannot be reached. */
export async function examineStore(
  store: ObjectStore,
  world: World,
  { rounds, creators }: Examination,
): Promise<readonly CheckResult[]> {
  const base = probeName(world.random);
  const draw = (bytes = 64): Uint8Array => world.random.fill(new Uint8Array(bytes));
  const context: Context = { store, world, base, draw, rounds };
  const nameOf = (round: number): string => `${base}/race/${String(round).padStart(6, '0')}`;
  const checks: readonly (readonly [name: string, check: StoreCheck])[] = [
    ['write-read', () => writeAndRead(context)],
    ['range-read', () => readRanges(context)],
    ['overwrite', () => overwrite(context)],
    ['list', () => listWhatWasWritten(context)],
    ['conditional-write', () => race(store, { rounds, creators, nameOf, draw })],
    ['delete', () => deleteAll(context)],
  ];
  const findings = [await findingOf('reach', () => reach(context))];
  if (findings[0]?.status === 'fail') return findings;
  for (const [name, check] of checks) findings.push(await findingOf(name, check));
  return findings;
}

interface Context {
  readonly store: ObjectStore;
  readonly world: World;
  /** Prefix of every name of this check. */
  readonly base: string;
  draw(bytes?: number): Uint8Array;
  readonly rounds: number;
}

async function reach({ store, base }: Context) {
  await store.list(base);
  return passed('the location responds');
}

async function writeAndRead({ store, world, base, draw, rounds }: Context) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const body = draw(round === 0 ? largeBytes : 4096);
    const from = world.clock.monotonicMs();
    await store.put(`${base}/write/${round}`, body);
    if (round > 0) times.push(world.clock.monotonicMs() - from);
    const found = await store.get(`${base}/write/${round}`);
    if (found === undefined) return failed('an object was missing right after it was written');
    if (!equalBytes(found, body))
      return failed('an object was read with other bytes than were written');
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  const [p50, p99] = [at(0.5), at(0.99)];
  const details = { put_4kib_p50_ms: p50, put_4kib_p99_ms: p99 };
  return passed(
    `an object can be read immediately after it is written; a write of 4 KiB takes ${p50} ms (p50) or ${p99} ms (p99)`,
    details,
  );
}

async function readRanges({ store, base, draw }: Context) {
  const body = draw(100_000);
  await store.put(`${base}/range`, body);
  for (const [offset, length] of [
    [0, 1],
    [500, 4096],
    [99_999, 10],
    [100_000, 10],
  ] as const) {
    const found = await store.getRange(`${base}/range`, offset, length);
    if (found === undefined || !equalBytes(found, body.subarray(offset, offset + length))) {
      return failed(`bytes ${offset} to ${offset + length} of an object were read incorrectly`);
    }
  }
  return passed('ranges of objects are read correctly');
}

async function overwrite({ store, base, draw, rounds }: Context) {
  for (let round = 0; round < rounds; round++) {
    const body = draw();
    await store.put(`${base}/overwritten`, body);
    const found = await store.get(`${base}/overwritten`);
    if (found === undefined || !equalBytes(found, body)) {
      return failed('an object still had its old content right after it was replaced');
    }
  }
  return passed('a replaced object has its new content immediately');
}

async function listWhatWasWritten({ store, base, draw }: Context) {
  const names: string[] = [];
  for (let i = 0; i < listedObjects; i++) {
    const name = `${base}/list/${String(i).padStart(4, '0')}`;
    await store.put(name, draw());
    names.push(name);
    const after = names[i - 1];
    const listed = (await store.list(`${base}/list/`, after)).map((head) => head.name);
    if (listed.join() !== name) {
      return failed('an object was not listed right after it was written', { name, listed });
    }
  }
  const all = (await store.list(`${base}/list/`)).map((head) => head.name);
  if (all.join() !== names.join()) return failed('a list is incomplete or out of order');
  return passed('written objects are listed immediately and in order');
}

/** Deletes every object that the check has created. */
async function deleteAll({ store, base }: Context) {
  const names = (await store.list(base)).map((head) => head.name);
  await store.delete(names);
  const left = await store.list(base);
  if (left.length > 0) return failed(`${left.length} objects were listed after they were deleted`);
  const first = names[0];
  if (first !== undefined && (await store.get(first)) !== undefined) {
    return failed('an object existed after it was deleted');
  }
  return passed(`${names.length} objects were deleted immediately`);
}
