/** Durable one-row inserts over HTTP against `bun:sqlite` with group commit behind a bare handler. */

import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { startReference, startSvc } from './server-process.ts';
import { createTable } from './setup.ts';
import { createItems } from './workload.ts';

export async function benchInserts(isQuick: boolean): Promise<readonly Measurement[]> {
  await using svc = await startSvc();
  await using sqlite = await startReference('sqlite-insert');
  await createTable(svc.port);
  const results: Measurement[] = [];
  const nextId = { subject: 1, reference: 1 };
  for (const connections of [1, 16, 64]) {
    const side = (port: number, who: 'subject' | 'reference') => {
      const next = () => prepare(port, 'POST', '/execute', createItems(nextId[who]++, 1));
      return () => throughput(port, connections, isQuick ? 1000 : 3000, next);
    };
    const sides = { subject: side(svc.port, 'subject'), reference: side(sqlite.port, 'reference') };
    await sides.subject();
    await sides.reference();
    const name = `durable one-row inserts, ${connections} connections, against bun:sqlite`;
    results.push(await pair(name, 0.25, isQuick ? 5 : 9, sides));
  }
  return results;
}
