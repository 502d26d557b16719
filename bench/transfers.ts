/** Transfers between two of 10,000 accounts, chosen by chance, over HTTP: both are read and both updated in one program. Against `bun:sqlite` with group commit. */

import { prepare } from './connection.ts';
import { type Measurement, pair, throughput } from './measure.ts';
import { startReference, startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { accountCount, accountTable, createAccounts, transferProgram } from './workload.ts';
import { random } from './workloads/data.ts';

const seed = 0x7a4f;

export async function benchTransfers(isQuick: boolean): Promise<readonly Measurement[]> {
  await using svc = await startSvc();
  await using sqlite = await startReference('sqlite-transfer');
  await createTable(svc.port, accountTable);
  await send(svc.port, createAccounts());
  const results: Measurement[] = [];
  for (const connections of [1, 16]) {
    const side = (port: number) => () =>
      throughput(port, connections, isQuick ? 1000 : 3000, transfers(port));
    const sides = { subject: side(svc.port), reference: side(sqlite.port) };
    await sides.subject();
    await sides.reference();
    const name = `durable transfers, ${connections} connections, against bun:sqlite`;
    results.push(await pair(name, connections === 1 ? 0 : 0.6, isQuick ? 5 : 9, sides));
  }
  return results;
}

/** Requests without end. */
export function transfers(port: number): () => Uint8Array {
  const below = random(seed);
  return () => {
    const from = below(accountCount);
    const to = (from + 1 + below(accountCount - 1)) % accountCount;
    return prepare(port, 'POST', '/execute', transferProgram(from, to, 1 + below(100)));
  };
}
