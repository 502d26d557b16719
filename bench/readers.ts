/**
 * What readers cost a writer, which publishes once a second for them: durable one-row inserts with three readers, against the same without.
 * And how fresh a reader is: from the acknowledgement of a commit until a reader shows it, against the two intervals of a second that it may take.
 */

import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { type ServerProcess, startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { createItems, readItem } from './workload.ts';

const intervalsMs = 2000;

export async function benchReaders(isQuick: boolean): Promise<readonly Measurement[]> {
  await using followed = await startSvc();
  await using alone = await startSvc();
  for (const { port } of [followed, alone]) await createTable(port);
  await send(followed.port, createItems(0, 1));
  const reading = ['--role', 'read', '--storage-path', followed.directory];
  await using first = await startSvc(reading);
  await using _second = await startSvc(reading);
  await using _third = await startSvc(reading);
  const next = { followed: 1, alone: 1 };
  const side = (server: ServerProcess, who: 'followed' | 'alone', connections: number) => {
    const request = () => prepare(server.port, 'POST', '/execute', createItems(next[who]++, 1));
    return () => throughput(server.port, connections, isQuick ? 2000 : 5000, request);
  };
  const results: Measurement[] = [];
  for (const connections of [1, 64]) {
    const sides = {
      subject: side(followed, 'followed', connections),
      reference: side(alone, 'alone', connections),
    };
    await sides.subject();
    await sides.reference();
    const name = `durable one-row inserts, ${connections} connections, 3 readers against none`;
    results.push(await pair(name, 0.6, isQuick ? 3 : 5, sides));
  }
  const samples = isQuick ? 10 : 30;
  results.push(await freshness(followed, first, () => next.followed++, samples));
  return results;
}

async function freshness(
  writer: ServerProcess,
  reader: ServerProcess,
  takeId: () => number,
  samples: number,
): Promise<Measurement> {
  const delays: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const id = takeId();
    await send(writer.port, createItems(id, 1));
    const from = performance.now();
    while (!(await shows(reader, id))) await Bun.sleep(2);
    delays.push(performance.now() - from);
    // Not in step with either interval.
    await Bun.sleep((sample * 137) % 1000);
  }
  delays.sort((a, b) => a - b);
  const median = delays[delays.length >> 1] as number;
  const longest = delays.at(-1) as number;
  return {
    name: 'a commit is seen by a reader, against two intervals',
    goal: 0.8,
    ratio: intervalsMs / longest,
    subject: `median ${Math.round(median)} ms, longest ${Math.round(longest)} ms`,
    reference: `${intervalsMs} ms`,
  };
}

async function shows({ port }: ServerProcess, id: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readItem(id),
  });
  const { result } = (await response.json()) as { result: unknown };
  return Array.isArray(result) ? result.length > 0 : result !== null && result !== undefined;
}
