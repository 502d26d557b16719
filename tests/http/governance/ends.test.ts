/** What ends a program from outside, over real sockets: its client, its deadline, the server; and that nothing of it stays. */

import { describe, expect, test } from 'bun:test';
import { create, endless, eventually, openGoverned, point } from './governed.ts';

test('programs whose clients have gone leave slots, memory and processor; the log is told 499', async () => {
  await using server = await openGoverned();
  const client = new AbortController();
  const abandoned = Array.from({ length: 12 }, () =>
    server.post(endless, { signal: client.signal }).catch(() => undefined),
  );
  await eventually(() => server.engine.admissionStatistics().query >= 5);
  expect((await server.post(point)).status).toBe(200);
  client.abort();
  await Promise.all(abandoned);
  await eventually(() => server.engine.admissionStatistics().clientGone === 12);
  expect(server.engine.admissionStatistics()).toMatchObject({
    queued: 0,
    queuedHeavy: 0,
    waitingForSlice: 0,
    poolUsedBytes: 0,
  });
  await eventually(() => server.statuses.filter((status) => status === 499).length === 12);
  // The runtime compiles and collects for a while after such work; a program that went on would keep the processor for good.
  const windowMs = 200;
  let usedMs: number;
  do {
    const before = process.cpuUsage();
    await Bun.sleep(windowMs);
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  } while (usedMs >= 0.75 * windowMs);
});

describe('the deadline', () => {
  test('of the server counts, and the header lowers it', async () => {
    await using server = await openGoverned({ statementTimeoutMs: 1000 });
    const late = await server.post(endless);
    expect([late.status, late.reason]).toEqual([422, 'deadline_exceeded']);
    expect(late.text).toContain(
      'longer than 1000 ms (--statement-timeout-ms); nothing was changed',
    );
    const sooner = await server.post(endless, { headers: { 'svc-deadline-ms': '40' } });
    expect(sooner.text).toContain('longer than 40 ms (the header Svc-Deadline-Ms)');
    expect(sooner.text).toContain('or raise the header Svc-Deadline-Ms');
    const later = await server.post(endless, { headers: { 'svc-deadline-ms': '60000' } });
    expect(later.text).toContain('longer than 1000 ms');
    expect(server.engine.admissionStatistics()).toMatchObject({ deadline: 3, poolUsedBytes: 0 });
  });

  test('counts in the queue, too', async () => {
    await using server = await openGoverned();
    const client = new AbortController();
    const holding = Array.from({ length: 8 }, () =>
      server.post(endless, { signal: client.signal }).catch(() => undefined),
    );
    await eventually(() => server.engine.admissionStatistics().queued > 0);
    const late = await server.post(endless, { headers: { 'svc-deadline-ms': '60' } });
    expect(late.reason).toBe('deadline_exceeded');
    client.abort();
    await Promise.all(holding);
  });

  for (const value of ['0', '-1', '1.5', 'soon', '99999999999', '1, 2']) {
    test(`${value} is none`, async () => {
      await using server = await openGoverned();
      const refused = await server.post(point, { headers: { 'svc-deadline-ms': value } });
      expect([refused.status, refused.reason]).toEqual([400, 'schema_violation']);
      expect(refused.text).toContain('/header/svc-deadline-ms');
    });
  }
});

test('at a stop, what waits or gives way is ended with a 503, and a write that is committed is answered', async () => {
  await using server = await openGoverned();
  const running = Array.from({ length: 16 }, () => server.post(endless));
  await eventually(() => server.engine.admissionStatistics().queued > 0);
  const written = server.post(create(100_000, 1));
  expect((await written).status).toBe(200);
  server.engine.endPrograms();
  for (const { status, reason, headers } of await Promise.all(running)) {
    expect([status, reason]).toEqual([503, 'storage_unavailable']);
    expect(headers.get('retry-after')).toBe('1');
  }
  expect(server.engine.admissionStatistics()).toMatchObject({ stopped: 16, poolUsedBytes: 0 });
});

test('schemas whose clients have gone keep nobody from comparing', async () => {
  await using server = await openGoverned();
  const tables = (count: number, shift: number) =>
    Array.from(
      { length: count },
      (_, i) =>
        `  - { id: ${i + 2}, name: t${(i + shift) % count}, columns: [{ id: 1, name: id, type: int64, pk: true }] }`,
    ).join('\n');
  const schema = (count: number, shift: number) => ({
    schema: `tables:\n${tables(count, shift)}\n`,
  });
  const client = new AbortController();
  const { signal } = client;
  const abandoned = Array.from({ length: 4 }, () =>
    server.post(schema(300, 0), { signal, path: '/schema/diff' }).catch(() => undefined),
  );
  await eventually(() => server.engine.schema.comparing >= 2);
  client.abort();
  await Promise.all(abandoned);
  await eventually(() => server.engine.admissionStatistics().clientGone === 4);
  const next = await server.post(schema(1, 0), { path: '/schema/diff' });
  expect(next.status).toBe(200);
});
