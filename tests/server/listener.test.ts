/** Closing the listener: what runs finishes, what only hangs does not hold it up. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Activity } from '../../src/http/edge/activity.ts';
import { listen } from '../../src/server/listener.ts';
import { isDoneWithin } from '../../src/server/waiting.ts';
import { manualWorld, until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';
import { openRawClient } from '../support/raw-client.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;

function start(answer: (path: string) => Promise<string>) {
  const world = manualWorld();
  const activity = new Activity();
  const handle = async ({ url }: Request) => {
    activity.enter();
    try {
      return new Response(await answer(new URL(url).pathname));
    } finally {
      activity.leave();
    }
  };
  const address = { host: '127.0.0.1', port: 0 };
  const listener = listen({ address, handle, activity, world });
  return { world, listener, open: () => openRawClient(listener.address.port) };
}

test('a request that is being worked on gets its answer, however long it takes', async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const { world, listener, open } = start(() => {
    arrived.resolve();
    return answer.promise;
  });
  const client = await open();
  client.send(request('/'));
  await arrived.promise;
  let isDrained = false;
  const drained = listener.drain().then(() => {
    isDrained = true;
  });
  for (let hour = 0; hour < 3; hour++) {
    world.advance(3_600_000);
    await world.scheduler.yield();
  }
  expect(isDrained).toBe(false);
  answer.resolve('the answer');
  expect(await client.closed).toContain('the answer');
  await drained;
});

test('idle connections are closed at once', async () => {
  const { listener, open } = start(async () => 'yes');
  const client = await open();
  client.send(request('/'));
  await client.until('yes');
  await listener.drain();
  await client.closed;
});

test('an answer that nobody takes is given up', async () => {
  const answered = Promise.withResolvers<void>();
  const { world, listener, open } = start(async (path) => {
    if (path === '/small') return 'yes';
    answered.resolve();
    return 'x'.repeat(64 << 20);
  });
  const client = await open();
  client.send(request('/small'));
  await client.until('yes');
  client.pause();
  client.send(request('/large'));
  await answered.promise;
  await world.scheduler.yield();
  await until(listener.drain(), world);
  client.end();
});

test('a wait with an end says whether the work was done', async () => {
  const world = manualWorld();
  const never = new Promise<void>(() => {});
  expect(await until(isDoneWithin(world, 5, never), world)).toBe(false);
  expect(await until(isDoneWithin(world, 5, Promise.resolve()), world)).toBe(true);
  expect(await isDoneWithin(world, 0, Promise.resolve())).toBe(true);
  expect(await outcomeOf(isDoneWithin(world, 5, Promise.reject(new Error('no'))))).toThrow('no');
});

test('an answer that is broken off leaves no stack in the log', async () => {
  const listener = JSON.stringify(join(import.meta.dir, '../../src/server/listener.ts'));
  const script = `
    import { listen } from ${listener};
    const pull = async (controller) => {
      const written = controller.write(new Uint8Array(64 << 20));
      setImmediate(() => controller.close(new Error('broken off')));
      await written;
    };
    const handle = () => new Response(new ReadableStream({ type: 'direct', pull }));
    const { address } = listen({ address: { host: '127.0.0.1', port: 0 }, handle });
    const answer = await fetch('http://127.0.0.1:' + address.port).then((got) => got.bytes()).catch(() => 'broken');
    console.log(answer);
    process.exit(0);
  `;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', script]);
  expect([stdout.toString(), stderr.toString()]).toEqual(['broken\n', '']);
});
