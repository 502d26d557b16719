/** A writer is killed at every request of opening, committing, publishing and collecting, before the request has its effect and after it, twice in a row. */

import { expect, test } from 'bun:test';
import { orphanTables } from '../../../src/storage/manifest/manifest-store.ts';
import { type MemoryObjects, memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { intercepted } from './intercepted.ts';
import { troubleOf, Writer } from './writer.ts';

type Moment = 'before' | 'after';

/** A way to the bucket that is cut at request `at`, counted from 1; nothing is answered from then on. */
function mortal(objects: ObjectStore, at: number, moment: Moment) {
  const died = Promise.withResolvers<'died'>();
  let requests = 0;
  const store = intercepted(objects, async (_, run) => {
    requests++;
    if (requests < at) return run();
    if (requests === at && moment === 'after') await run();
    died.resolve('died');
    return new Promise(() => {});
  });
  return { store, died: died.promise };
}

/** Opens, and then commits, flushes and collects a few times; says what was acknowledged. */
async function live(store: ObjectStore, name: string, acknowledged: string[]): Promise<'lived'> {
  const writer = await Writer.open(store);
  for (let step = 0; step < 4; step++) {
    const payload = `${name}-${step}`;
    await writer.commit(payload);
    acknowledged.push(payload);
    if (step % 2 === 0) continue;
    await writer.flush();
    await writer.collect();
  }
  return 'lived';
}

/** What a new writer finds: everything acknowledged, nothing twice, and, once it has collected, nothing that nobody needs. */
async function check(objects: ObjectStore, acknowledged: readonly string[]): Promise<void> {
  const writer = await Writer.open(objects);
  const { payloads, durable } = writer;
  expect(new Set(payloads).size).toBe(payloads.length);
  expect(payloads.filter((payload) => acknowledged.includes(payload))).toEqual([...acknowledged]);
  await durable.collect(await orphanTables(durable.obsoleteTables.collector, durable.manifest));
  const { manifest } = durable;
  const named = manifest.runs.flatMap((run) => run.tables.map((table) => table.name));
  expect((await objects.list('sst/')).map(({ name }) => name)).toEqual(named);
  expect(await objects.list('manifest/')).toHaveLength(1);
}

for (const moment of ['before', 'after'] as const) {
  test(`killed ${moment} each request`, async () => {
    let deaths = 0;
    for (let at = 1; ; at++) {
      const objects = memoryStore();
      const acknowledged: string[] = [];
      const first = mortal(objects, at, moment);
      const end = await Promise.race([live(first.store, 'first', acknowledged), first.died]);
      if (end === 'died') deaths++;
      // The next one dies as well, somewhere in its opening or soon after.
      const second = mortal(objects, 1 + ((at * 7) % 23), moment);
      await Promise.race([live(second.store, 'second', acknowledged), second.died]);
      await check(objects, acknowledged);
      if (end === 'lived') break;
    }
    expect(deaths).toBeGreaterThan(20);
  });
}

test('the bucket of each of these moments can be opened by two at once: one serves', async () => {
  for (let at = 1; at < 30; at++) {
    const medium: MemoryObjects = new Map();
    const acknowledged: string[] = [];
    const first = mortal(memoryStore(medium), at, 'after');
    await Promise.race([live(first.store, 'first', acknowledged), first.died]);
    const objects = memoryStore(medium);
    const ends = await Promise.allSettled([Writer.open(objects), Writer.open(objects)]);
    const opened = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const [leader, ...others] = opened.sort((a, b) => b.durable.epoch - a.durable.epoch);
    expect(leader?.payloads).toEqual(expect.arrayContaining(acknowledged));
    for (const other of others) expect((await troubleOf(other.commit('lost'))).kind).toBe('fenced');
    await leader?.commit('kept');
    const { payloads } = await Writer.open(objects);
    expect(payloads).toEqual([...(leader as Writer).payloads]);
    expect(payloads.at(-1)).toBe('kept');
  }
});
