/** Primary-key reads over HTTP against a bare JSON echo of the same sizes. */

import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { startReference, startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { createItems, readItem } from './workload.ts';

const rows = 10_000;

export async function benchReads(isQuick: boolean): Promise<readonly Measurement[]> {
  await using svc = await startSvc();
  await using echo = await startReference('echo');
  await createTable(svc.port);
  for (let from = 0; from < rows; from += 1000) await send(svc.port, createItems(from, 1000));
  const results: Measurement[] = [];
  for (const connections of [1, 16, 64]) {
    const side = (port: number) => {
      const requests = Array.from({ length: rows }, (_, i) =>
        prepare(port, 'POST', '/execute', readItem((i * 7919) % rows)),
      );
      let at = 0;
      const next = () => requests[at++ % rows] as Uint8Array;
      return () => throughput(port, connections, isQuick ? 1000 : 3000, next);
    };
    const sides = { subject: side(svc.port), reference: side(echo.port) };
    await sides.subject();
    await sides.reference();
    const name = `primary-key reads, ${connections} connections, against an echo`;
    results.push(await pair(name, 0.25, isQuick ? 5 : 9, sides));
  }
  return results;
}
