/** A small disk that is full: readers go on, probes tell, a restart opens, and room ends it. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, RestAttack } from '../../attack.ts';
import { mountMemory, unmount } from '../../target/at-exit.ts';
import { ask } from '../../target/request.ts';
import { countRows, createTable, rowsPerWrite, writeRows } from '../../target/rows.ts';
import { type Server, StartRefused, startServer } from '../../target/server.ts';

const roomMib = 64;
const ballastMib = 16;
const flags = ['--store-l0-sst-size-mib', '4'];

/** Until writes have been refused for some seconds: a refusal alone may ask for patience. */
async function fill(server: Server): Promise<number> {
  await createTable(server.port);
  let refusals = 0;
  for (let i = 0; i < 5000; ) {
    const { status } = await writeRows(server.port, i * rowsPerWrite);
    refusals = status === 200 ? 0 : refusals + 1;
    if (status === 200) i++;
    if (refusals === 15) return i * rowsPerWrite;
    if (refusals > 0) await Bun.sleep(300);
  }
  throw new Error('the disk was never full');
}

async function writesAgain(server: Server, rows: number): Promise<boolean> {
  for (let i = 0; i < 20; i++) {
    const { status } = await writeRows(server.port, rows + i * rowsPerWrite);
    if (status === 200) return true;
    await Bun.sleep(500);
  }
  return false;
}

async function strike(lab: Lab, mountPoint: string) {
  const failures: string[] = [];
  const start = () => startServer({ binary: lab.binary, directory: mountPoint, flags });
  writeFileSync(join(mountPoint, 'ballast'), Buffer.alloc(ballastMib << 20));
  const first = await start();
  const rows = await fill(first);
  await Bun.sleep(2500);
  const ready = await ask(first.port, { path: '/readyz' });
  if (ready.status !== 503) failures.push(`/readyz says ${ready.status} on a full disk`);
  if ((await countRows(first.port)).rows !== rows)
    failures.push('reads do not show what was acknowledged');
  first.kill('SIGKILL');
  await first.exited;
  try {
    const second = await start();
    if ((await countRows(second.port)).rows !== rows)
      failures.push('rows differ after the restart');
    rmSync(join(mountPoint, 'ballast'));
    if (!(await writesAgain(second, rows))) failures.push('no writes 10 s after there was room');
    second.kill('SIGKILL');
    await second.exited;
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    failures.push(`the restart on a full disk is refused: ${error.message.slice(-200)}`);
  }
  return { got: [`${rows} rows until it was full`, `readyz ${ready.status}`], failures };
}

export const fullDisk: RestAttack = {
  kind: 'rest',
  part: 'rest',
  name: 'full-disk',
  does: 'a tmpfs of 64 MiB filled by writes, SIGKILL, restart, room again (needs the right to mount)',
  strike: async (lab) => {
    const mountPoint = join(lab.empty(), 'disk');
    mkdirSync(mountPoint);
    if (!mountMemory(mountPoint, roomMib)) {
      return { got: ['skipped: no right to mount'], failures: [] };
    }
    try {
      return await strike(lab, mountPoint);
    } finally {
      unmount(mountPoint);
    }
  },
};
