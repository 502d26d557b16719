/** The place of the data goes while a server writes to it. */

import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, RestAttack } from '../../attack.ts';
import { ask } from '../../target/request.ts';
import { createTable, writeRows } from '../../target/rows.ts';
import { startServer } from '../../target/server.ts';

const knownWithinMs = 2000;

async function strike(lab: Lab, take: (directory: string) => void) {
  const directory = lab.empty();
  const server = await startServer({ binary: lab.binary, directory });
  await createTable(server.port);
  const late: number[] = [];
  let takenAt = Number.POSITIVE_INFINITY;
  for (let i = 0; performance.now() < takenAt + 6000; i++) {
    if (i === 20) {
      take(directory);
      takenAt = performance.now();
    }
    const { status } = await writeRows(server.port, i, 3000, 1);
    const ageMs = performance.now() - takenAt;
    if (status === 200 && ageMs > 0) late.push(ageMs);
    await Bun.sleep(50);
  }
  const { status } = await ask(server.port, { path: '/readyz' });
  const stopped = await server.stop(10_000);
  const last = Math.round(Math.max(0, ...late));
  const failures = [
    ...(last > knownWithinMs ? [`acknowledged ${last} ms after the place was gone`] : []),
    ...(status === 200 ? ['/readyz says 200'] : []),
    ...(stopped === undefined ? ['SIGTERM did not end it'] : []),
  ];
  return {
    got: [`${late.length} acknowledged, the last after ${last} ms`, `readyz ${status}`],
    failures,
  };
}

export const removedDirectory: RestAttack = {
  kind: 'rest',
  part: 'rest',
  name: 'removed-directory',
  does: 'the data directory removed under writes: no acknowledgement after 2 s',
  strike: (lab) => strike(lab, (at) => rmSync(join(at, 'data'), { recursive: true })),
};

export const renamedDirectory: RestAttack = {
  ...removedDirectory,
  name: 'renamed-directory',
  does: 'the data directory renamed under writes: no acknowledgement after 2 s',
  strike: (lab) => strike(lab, (at) => renameSync(join(at, 'data'), join(at, 'elsewhere'))),
};

export const removedLog: RestAttack = {
  ...removedDirectory,
  name: 'removed-log',
  does: 'the log directory removed under writes: no acknowledgement after 2 s',
  strike: (lab) => strike(lab, (at) => rmSync(join(at, 'data', 'wal'), { recursive: true })),
};
