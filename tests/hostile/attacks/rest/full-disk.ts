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

interface Full {
  readonly rows: number;
  /** What `/readyz` said before each write that was refused in the end. */
  readonly ready: readonly number[];
}

/** Until writes have been refused for some seconds: a refusal alone may ask for patience, and merges may make room once more. */
async function fill(server: Server): Promise<Full> {
  await createTable(server.port);
  let ready: number[] = [];
  for (let i = 0; i < 5000; ) {
    if (ready.length > 0) await Bun.sleep(300);
    const probe = ready.length > 0 ? (await ask(server.port, { path: '/readyz' })).status : 0;
    const { status } = await writeRows(server.port, i * rowsPerWrite);
    if (status === 200) {
      i++;
      ready = [];
    } else ready.push(probe);
    if (ready.length === 25) return { rows: i * rowsPerWrite, ready };
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
  const { rows, ready } = await fill(first);
  // Known two seconds after the first refusal.
  const wrong = ready.slice(10).find((status) => status !== 503);
  if (wrong !== undefined) failures.push(`/readyz says ${wrong} on a full disk`);
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
  return { got: [`${rows} rows until it was full`, `readyz ${ready.at(-1)}`], failures };
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
