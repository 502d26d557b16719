/** SIGKILL at random moments under load: every acknowledged program is there after the restart, and no half of one. */

import { seededRandom } from '../support/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { filePlace, type TorturePlace } from './place.ts';
import { idsFrom, tortureTables, transferProgram } from './workload.ts';

export interface TortureReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** Answered with an error, which a server may do whose store is killed: like those in flight, they may be there. */
  readonly refused: number;
  /** In flight at a kill: some of them may be there, whole. */
  readonly unknown: number;
  readonly unknownFound: number;
}

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  /** Longest time of load before a kill. */
  readonly loadMsMax: number;
  /** Of each program, about; a short note unless given. */
  readonly programBytes?: number;
  /** A directory, and the server is killed, unless given; it is closed at the end. */
  readonly place?: TorturePlace;
  /** Told the state after each round. */
  readonly progress?: (report: TortureReport) => void;
}

/** A busy machine may take so long to the first answer. */
const startMsMax = 5000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Round {
  readonly acknowledged: Set<number>;
  readonly sent: Set<number>;
  refused: number;
}

/** Throws at the first lost or torn program. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const place = options.place ?? filePlace();
  const random = seededRandom(options.seed);
  const report = { rounds: 0, acknowledged: 0, refused: 0, unknown: 0, unknownFound: 0 };
  const { progress } = options;
  let nextId = 1;
  const takeId = () => nextId++;
  const start = () => startServerProcess(place.flags, { env: place.env });
  let server = await start();
  try {
    for (const table of tortureTables) await expectOk(server, '/tables', table);
    while (report.rounds < options.rounds) {
      const least = nextId;
      const loadMs = random() * options.loadMsMax;
      const load = startLoad(server, options, place.mayRefuse, takeId);
      // Mostly while programs are being acknowledged; now and then before the first one.
      if (random() < 0.8) await Promise.race([load.started, pause(startMsMax)]);
      await pause(loadMs);
      server = await place.strike(server, start);
      const round = await load.end();
      const found = await checkRound(server, round, least);
      report.acknowledged += round.acknowledged.size;
      report.refused += round.refused;
      report.unknown += round.sent.size - round.acknowledged.size;
      report.unknownFound += found - round.acknowledged.size;
      report.rounds++;
      progress?.(report);
    }
    return report;
  } finally {
    server.kill('SIGKILL');
    await server.exited;
    place.close();
  }
}

/** Clients that send one program after the other, until the server does not answer or the load ends. */
function startLoad(
  server: ServerProcess,
  { clients, programBytes }: Pick<TortureOptions, 'clients' | 'programBytes'>,
  mayRefuse: boolean,
  takeId: () => number,
): { readonly started: Promise<void>; end(): Promise<Round> } {
  const round: Round = { acknowledged: new Set(), sent: new Set(), refused: 0 };
  const started = Promise.withResolvers<void>();
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const id = takeId();
      round.sent.add(id);
      const program = transferProgram(id, programBytes);
      const reply = await post(server, '/execute', program).catch(() => undefined);
      if (reply === undefined) return;
      if (reply.status === 200) {
        round.acknowledged.add(id);
        started.resolve();
        continue;
      }
      if (!mayRefuse) throw new Error(`program ${id} was refused: ${reply.text}`);
      round.refused++;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  // Whoever ends the load hears of it.
  all.catch(() => {});
  return {
    started: started.promise,
    async end() {
      isOver = true;
      await all;
      return round;
    },
  };
}

/** How many programs of the round are there. */
async function checkRound(server: ServerProcess, round: Round, least: number): Promise<number> {
  const debits = await idsOf(server, 'debit', 'id', least);
  const credits = await idsOf(server, 'credit', 'debit_id', least);
  for (const id of round.acknowledged) {
    if (!debits.has(id)) throw new Error(`program ${id} was acknowledged and is lost`);
  }
  for (const id of debits) {
    if (!credits.has(id)) throw new Error(`program ${id} is there by half: no credit`);
    if (!round.sent.has(id)) throw new Error(`row ${id} was never sent`);
  }
  if (credits.size !== debits.size) throw new Error('there is a credit without its debit');
  return debits.size;
}

async function idsOf(
  server: ServerProcess,
  table: string,
  column: string,
  least: number,
): Promise<Set<number>> {
  const reply = await expectOk(server, '/execute', idsFrom(table, column, least));
  const { result } = JSON.parse(reply) as { result: { id: number }[] };
  return new Set(result.map((row) => row.id));
}

async function expectOk(server: ServerProcess, path: string, body: unknown): Promise<string> {
  const reply = await post(server, path, body);
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`);
  return reply.text;
}

async function post(server: ServerProcess, path: string, body: unknown) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
