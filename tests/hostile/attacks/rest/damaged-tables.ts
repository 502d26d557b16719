/** Tables at rest that are damaged or gone: others' work goes on, and the file is named. */

import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, Outcome, RestAttack } from '../../attack.ts';
import { ask } from '../../target/request.ts';
import { countRows, createTable, writeRows } from '../../target/rows.ts';
import { type Server, StartRefused, startServer } from '../../target/server.ts';

const rest = { kind: 'rest', part: 'rest' } as const;
const places = 10;

interface Table {
  readonly name: string;
  readonly path: string;
}

/** The largest table of the loaded store. */
function largestTable(directory: string): Table {
  const folder = join(directory, 'data', 'sst');
  const tables = readdirSync(folder).map((name) => ({ name, path: join(folder, name) }));
  tables.sort((a, b) => statSync(b.path).size - statSync(a.path).size);
  if (tables[0] === undefined) throw new Error('the loaded store has no table: more --rows');
  return tables[0];
}

/** Place 0 is the first bytes, the last one the end of the file. */
function damage(path: string, place: number): void {
  const length = 16;
  const at = Math.floor(((statSync(path).size - length) * place) / (places - 1));
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(fd);
}

async function damagedAt(lab: Lab, place: number): Promise<Outcome> {
  const directory = lab.loaded();
  const { name, path } = largestTable(directory);
  damage(path, place);
  const where = `place ${place}`;
  try {
    const server = await startServer({ binary: lab.binary, directory });
    try {
      return await judge(lab, server, name, where);
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return {
      got: [`${where}: refused`],
      failures: [`${where}: the start is refused: ${error.message.slice(-200)}`],
    };
  }
}

async function judge(lab: Lab, server: Server, name: string, where: string): Promise<Outcome> {
  const { port } = server;
  const whole = await countRows(port, 'item');
  const failures: string[] = [];
  if (whole.rows === undefined && !whole.answer.text.includes(name)) {
    failures.push(
      `${where}: ${whole.answer.status} without the name of the file: ${whole.answer.text.slice(-300)}`,
    );
  }
  if (whole.rows !== undefined && whole.rows !== lab.rows)
    failures.push(`${where}: ${whole.rows} rows`);
  failures.push(...(await othersWork(port)).map((what) => `${where}: ${what}`));
  if (whole.rows === undefined) {
    const metrics = await ask(port, { path: '/metrics' });
    if (metrics.status === 200 && !/damag/.test(metrics.text))
      failures.push(`${where}: not in /metrics`);
    if (!server.log().includes(name)) failures.push(`${where}: not in the log`);
  }
  failures.push(...(await doctorSays(lab, server, name)).map((what) => `${where}: ${what}`));
  return {
    got: [`${where}: ${whole.rows ?? `${whole.answer.status} ${whole.answer.reason}`}`],
    failures,
  };
}

/** A table of its own, made and written beside the damaged one. */
async function othersWork(port: number): Promise<string[]> {
  const made = await createTable(port);
  const written = await writeRows(port, 0);
  const { rows } = await countRows(port);
  const isFine = made.status === 200 && written.status === 200 && rows === 1000;
  return isFine ? [] : [`others: ${made.status}, ${written.status}, ${rows ?? 'no'} rows`];
}

async function doctorSays(lab: Lab, server: Server, name: string): Promise<string[]> {
  server.kill('SIGKILL');
  await server.exited;
  const doctor = Bun.spawnSync(
    [lab.binary, 'doctor', 'store', '--storage-path', join(server.directory, 'data')],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  const said = doctor.stdout.toString() + doctor.stderr.toString();
  return said.includes(name) ? [] : ['svc doctor store does not name the table'];
}

export const damagedTable: RestAttack = {
  ...rest,
  name: 'damaged-table',
  does: `the largest table damaged at ${places} places in turn, start, read, write, doctor`,
  strike: async (lab) => {
    const outcomes: Outcome[] = [];
    for (let place = 0; place < places; place++) outcomes.push(await damagedAt(lab, place));
    return {
      got: outcomes.flatMap(({ got }) => got),
      failures: outcomes.flatMap(({ failures }) => failures),
    };
  },
};

export const deletedTable: RestAttack = {
  ...rest,
  name: 'deleted-table',
  does: 'a table deleted under a running server: said within a minute; the next start serves the rest',
  strike: async (lab) => {
    const directory = lab.loaded();
    const server = await startServer({ binary: lab.binary, directory });
    await countRows(server.port, 'item');
    const { name, path } = largestTable(directory);
    rmSync(path);
    const endsAt = performance.now() + 65_000;
    while (performance.now() < endsAt && !server.log().includes(name)) await Bun.sleep(500);
    const isSaid = server.log().includes(name);
    const others = await othersWork(server.port);
    server.kill('SIGKILL');
    await server.exited;
    return {
      got: [isSaid ? 'said' : 'not said', await nextStart(lab, directory)],
      failures: isSaid ? others : [...others, 'nothing is said within 65 s'],
    };
  },
};

async function nextStart(lab: Lab, directory: string): Promise<string> {
  try {
    const server = await startServer({ binary: lab.binary, directory });
    const others = await othersWork(server.port);
    server.kill('SIGKILL');
    await server.exited;
    return `next start: ${others.join(', ') || 'others work'}`;
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return `next start refused: ${error.message.slice(-160).trim()}`;
  }
}
