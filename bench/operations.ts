/**
 * What being observed costs: reads by key with metrics, with one trace in a hundred, with diagnostics; and what an answer that is known already saves.
 * All servers are alive and asked in turn; the processor time of the main thread is the better witness where other work makes the rate differ.
 */

import { openThreadTimes } from '../tests/hostile/gauge/process.ts';
import { load, prepare } from './connection.ts';
import type { Measurement } from './measure.ts';
import { type ServerProcess, startReference, startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { createItems, readItem } from './workload.ts';

const storedRows = 10_000;
const queriedRows = 5_000;
const keptRows = 20;
const connections = 16;
const roundMs = 250;
const warmUpRounds = 2;
/** Of each side, before anything is compared: code is compiled as it is used. */
const warmUpMs = 2_000;

interface Side {
  readonly server: ServerProcess;
  readonly next: () => Uint8Array;
  /** Of its answers; 200 unless said otherwise. */
  readonly status?: number;
}

interface Sides {
  readonly subject: Side;
  readonly reference: Side;
}

interface Comparison {
  readonly name: string;
  /** Subject against reference, both in requests. */
  readonly goal: number;
  /** Starts what is asked; everything goes with `servers`. */
  open(servers: AsyncDisposableStack): Promise<Sides>;
  /** So many times anew: two processes differ by several per cent all their lives, whatever they do. */
  readonly processes: number;
}

interface Round {
  readonly rate: number;
  /** Microseconds of the main thread a request. */
  readonly micros: number;
}

const processes = 5;

export async function benchOperations(isQuick: boolean): Promise<readonly Measurement[]> {
  await using sink = await startReference('otlp-sink');
  const metricsAlone: readonly string[] = [];
  const traced = ['--otel-endpoint', `http://127.0.0.1:${sink.port}`];
  const comparisons: readonly Comparison[] = [
    {
      name: 'reads by key with metrics, against none',
      goal: 0.97,
      processes,
      open: async (servers) => ({
        subject: reads(servers.use(await startFilled(metricsAlone))),
        reference: reads(servers.use(await startFilled(['--metrics', 'false']))),
      }),
    },
    {
      name: 'reads by key with one in a hundred traced, against none',
      goal: 0.95,
      processes,
      open: async (servers) => ({
        subject: reads(servers.use(await startFilled(traced, oneInAHundred))),
        reference: reads(servers.use(await startFilled(metricsAlone))),
      }),
    },
    {
      name: 'reads by key with diagnostics (summary), against none',
      goal: 0.8,
      processes: 1,
      open: async (servers) => {
        const server = servers.use(await startFilled(metricsAlone));
        const header = { 'svc-diagnostics': 'summary' };
        return { subject: reads(server, header), reference: reads(server) };
      },
    },
    {
      name: 'reads by key with programs kept for replay, against none',
      goal: 0.95,
      processes,
      open: async (servers) => ({
        subject: reads(servers.use(await startFilled(['--capture-workload-corpus']))),
        reference: reads(servers.use(await startFilled(metricsAlone))),
      }),
    },
    {
      name: `304s, against queries of ${queriedRows} rows`,
      goal: 5,
      processes: 1,
      open: async (servers) => {
        // Otherwise the answers would be kept, and not made.
        const server = servers.use(await startFilled(['--relation-cache-size-mib', '0']));
        const tag = { 'if-none-match': await tagOf(server) };
        return { subject: queries(server, tag, 304), reference: queries(server) };
      },
    },
    {
      name: `answers of ${keptRows} rows that are kept, against reads by key`,
      goal: 1 / 1.3,
      processes: 1,
      open: async (servers) => {
        const server = servers.use(await startFilled(metricsAlone, keeping));
        return { subject: queries(server, {}, 200, keptRows), reference: reads(server) };
      },
    },
    {
      name: `answers of ${queriedRows} rows that are kept, against queries that are executed`,
      goal: 2,
      processes: 1,
      open: async (servers) => ({
        subject: queries(servers.use(await startFilled(metricsAlone, keeping))),
        reference: queries(servers.use(await startFilled(metricsAlone))),
      }),
    },
    {
      name: `queries of ${keptRows} rows that are asked once, with room for answers, against none`,
      goal: 0.98,
      processes,
      open: async (servers) => ({
        subject: onceEach(servers.use(await startFilled(metricsAlone, keeping))),
        reference: onceEach(servers.use(await startFilled(metricsAlone))),
      }),
    },
  ];
  const results: Measurement[] = [];
  for (const comparison of comparisons) {
    results.push(...(await compared(comparison, isQuick ? 9 : 25)));
  }
  // Otherwise nothing was traced, and nothing was measured.
  const { spans } = (await (await fetch(`http://127.0.0.1:${sink.port}/spans`)).json()) as {
    readonly spans: number;
  };
  if (spans === 0) throw new Error('no span has come');
  return results;
}

const keeping = { SVC_RELATION_CACHE_SIZE_MIB: '128' };

const oneInAHundred = {
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.01',
};

function reads(server: ServerProcess, headers = {}): Side {
  const requests = Array.from({ length: storedRows }, (_, i) =>
    prepare(server.port, 'POST', '/execute', readItem((i * 7919) % storedRows), headers),
  );
  let at = 0;
  return { server, next: () => requests[at++ % storedRows] as Uint8Array };
}

async function startFilled(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const server = await startSvc(['--storage', 'memory', ...flags], env);
  await fill(server);
  return server;
}

async function fill({ port }: ServerProcess): Promise<void> {
  await createTable(port);
  for (let from = 0; from < storedRows; from += 1000) await send(port, createItems(from, 1000));
}

const queryType = 'application/vnd.svc.lir+json';
const idOf = { kind: 'col', scope: 'i', column: 'id' };
const compare = (op: string, bound: number) => {
  const right = { kind: 'lit', value: { type: 'int64', value: `${bound}` } };
  return { kind: 'binary', op, left: idOf, right };
};

/** The rows with an id below `to`; from `from` on, where that is told. */
function rowsBelow(to: number, from?: number): string {
  const below = compare('lt', to);
  const left = from === undefined ? below : compare('gte', from);
  const predicate = from === undefined ? below : { kind: 'binary', op: 'and', left, right: below };
  return JSON.stringify({
    nodes: {
      s: { kind: 'scan', table: 'item', scope: 'i' },
      f: { kind: 'filter', input: 's', predicate },
      o: { kind: 'order', input: 'f', terms: [{ expr: idOf }] },
    },
    root: { node: 'o', cardinality: 'many' },
  });
}

const query = rowsBelow(queriedRows);

function queries(server: ServerProcess, headers = {}, status = 200, rows = queriedRows): Side {
  const type = { 'content-type': queryType, ...headers };
  const request = prepare(server.port, 'QUERY', '/execute', rowsBelow(rows), type);
  return { server, next: () => request, status };
}

/** No text comes twice: the lower bounds, which are no ids, differ. */
function onceEach({ port, ...server }: ServerProcess): Side {
  let at = 0;
  const type = { 'content-type': queryType };
  const next = () => prepare(port, 'QUERY', '/execute', rowsBelow(keptRows, -++at), type);
  return { server: { port, ...server }, next };
}

async function tagOf({ port }: ServerProcess): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/execute`, {
    method: 'QUERY',
    headers: { 'content-type': queryType },
    body: query,
  });
  const rows = (await answer.json()) as readonly unknown[];
  const tag = answer.headers.get('etag');
  if (tag === null || rows.length !== queriedRows) throw new Error('the query has another answer');
  return tag;
}

/** Of the rates, and of the processor time. */
async function compared(comparison: Comparison, count: number): Promise<readonly Measurement[]> {
  const { name, goal, processes } = comparison;
  const rounds: { readonly subject: Round; readonly reference: Round }[] = [];
  for (let process = 0; process < processes; process++) {
    await using servers = new AsyncDisposableStack();
    const { subject, reference } = await comparison.open(servers);
    for (const side of [subject, reference]) await roundOf(side, warmUpMs);
    for (let round = -warmUpRounds; round < Math.ceil(count / processes); round++) {
      // Whoever comes first finds another machine than the second: they take turns in that as well.
      const first = round % 2 === 0 ? await roundOf(subject) : undefined;
      const other = await roundOf(reference);
      const made = { subject: first ?? (await roundOf(subject)), reference: other };
      if (round >= 0) rounds.push(made);
    }
  }
  const measured = (of: (round: Round) => number) => ({
    subject: median(rounds.map((round) => of(round.subject))),
    reference: median(rounds.map((round) => of(round.reference))),
  });
  const rate = measured((round) => round.rate);
  const micros = measured((round) => round.micros);
  return [
    {
      name: `${name}: rate`,
      goal,
      ratio: median(rounds.map((round) => round.subject.rate / round.reference.rate)),
      subject: `${Math.round(rate.subject)}/s`,
      reference: `${Math.round(rate.reference)}/s`,
    },
    {
      name: `${name}: main thread`,
      goal,
      ratio: median(rounds.map((round) => round.reference.micros / round.subject.micros)),
      subject: `${micros.subject.toFixed(1)} µs`,
      reference: `${micros.reference.toFixed(1)} µs`,
    },
  ];
}

async function roundOf({ server, next, status }: Side, ms = roundMs): Promise<Round> {
  const times = openThreadTimes(server.pid);
  const { ranMs } = times();
  const { requests, seconds, failures } = await load(server.port, connections, ms, next, status);
  if (failures > 0) throw new Error(`${failures} requests failed`);
  return { rate: requests / seconds, micros: ((times().ranMs - ranMs) * 1000) / requests };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}
