/** A server is killed, a file of its log or its claims is lost, and the next one starts. */

import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, Outcome, RestAttack } from '../../attack.ts';
import { countRows, createTable, rowsPerWrite, writeRows } from '../../target/rows.ts';
import { type Server, StartRefused, startServer } from '../../target/server.ts';

const rest = { kind: 'rest', part: 'rest' } as const;
const writes = 46;

/** What was acknowledged before SIGKILL is on the disk that is left behind. */
async function killedServer(lab: Lab): Promise<string> {
  const directory = lab.empty();
  const server = await startServer({ binary: lab.binary, directory });
  await createTable(server.port);
  for (let i = 0; i < writes; i++) {
    const { status } = await writeRows(server.port, i * rowsPerWrite);
    if (status !== 200) throw new Error(`write ${i}: ${status}`);
  }
  server.kill('SIGKILL');
  await server.exited;
  return directory;
}

/** Refused with the name of what is damaged (or of the file that shows it), or all that was acknowledged. */
async function judgeStart(lab: Lab, directory: string, lost: string): Promise<Outcome> {
  let server: Server;
  try {
    server = await startServer({ binary: lab.binary, directory });
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return judgeRefusal(error.message, lost);
  }
  const { rows } = await countRows(server.port);
  server.kill('SIGKILL');
  await server.exited;
  const got = [`${lost}: started with ${rows ?? 'no'} rows`];
  return {
    got,
    failures: rows === writes * rowsPerWrite ? [] : [`${got[0]} of ${writes * rowsPerWrite}`],
  };
}

function judgeRefusal(log: string, lost: string): Outcome {
  const place = lost.slice(0, lost.indexOf('/') + 1);
  const failures = [
    ...(log.includes(place)
      ? []
      : [`${lost}: refused without naming ${place}: ${log.slice(-300)}`]),
    ...(log.includes('doctor store') ? [] : [`${lost}: refused without naming svc doctor store`]),
  ];
  return { got: [`${lost}: refused`], failures };
}

async function each(lab: Lab, folder: 'epoch' | 'wal', lose: (path: string) => void, how: string) {
  const got: string[] = [];
  const failures: string[] = [];
  const isLoss = (name: string) => /^[\d-]+(\.log)?$/.test(name);
  const first = await killedServer(lab);
  const names = readdirSync(join(first, 'data', folder))
    .filter(isLoss)
    .sort();
  for (const [i, name] of names.entries()) {
    const directory = i === 0 ? first : await killedServer(lab);
    lose(join(directory, 'data', folder, name));
    const outcome = await judgeStart(lab, directory, `${folder}/${name} ${how}`);
    got.push(...outcome.got);
    failures.push(...outcome.failures);
  }
  return { got, failures };
}

export const lostClaim: RestAttack = {
  ...rest,
  name: 'lost-epoch-claim',
  does: 'SIGKILL, each claim of an epoch deleted in turn, start',
  strike: (lab) => each(lab, 'epoch', (path) => rmSync(path), 'deleted'),
};

export const lostSegment: RestAttack = {
  ...rest,
  name: 'lost-log-segment',
  does: 'SIGKILL, each segment of the log deleted in turn, start',
  strike: (lab) => each(lab, 'wal', (path) => rmSync(path), 'deleted'),
};

export const emptiedSegment: RestAttack = {
  ...rest,
  name: 'emptied-log-segment',
  does: 'SIGKILL, each segment of the log cut to nothing in turn, start',
  strike: (lab) => each(lab, 'wal', (path) => truncateSync(path, 0), 'emptied'),
};
