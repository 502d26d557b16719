/**
 * Runs on the runtime that is measured: reads one table through the client, and by hand-written `fetch` and JSON, in rounds that alternate. Prints
 * one line of JSON. Arguments: the server's address, milliseconds of a round, rounds.
 */

import { createClient } from '../../src/codegen/typescript/runtime/client/client.ts';
import type { Compiled, Runnable } from '../../src/codegen/typescript/runtime/client/seam.ts';
import { type Answer, listText, pointText } from './texts.ts';

const [url = '', roundMs = '1000', rounds = '7'] = process.argv.slice(2);
const connections = 8;
const keys = 1000;

const client = createClient(
  {
    version: 0,
    hash: '',
    tables: [],
    compile: (runnable) => runnable as Compiled,
    page: (query) => query as Compiled,
  },
  { url, schema: 'off' },
);

function compiled(body: string): Runnable<Answer> {
  const found: Compiled<Answer> = {
    name: 'items',
    kind: 'query',
    readOnly: true,
    body,
    decode: (result) => result as Answer,
    locate: () => '',
  };
  return found as Runnable<Answer>;
}

async function byHand(body: string): Promise<Answer> {
  const response = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { result: Answer }).result;
}

type Ask = (body: string) => Promise<Answer>;

const subjects: Readonly<Record<string, Ask>> = {
  client: (body) => client.run(compiled(body)),
  byHand,
};

const questions: Readonly<Record<string, { text(key: number): string; rows: number }>> = {
  point: { text: pointText, rows: 1 },
  rows500: { text: () => listText(500), rows: 500 },
};

interface Round {
  readonly perSecond: number;
  /** Processor time of this process for one request, in microseconds. */
  readonly cpuMicros: number;
}

async function round(
  ask: Ask,
  { text, rows }: { text(key: number): string; rows: number },
): Promise<Round> {
  let done = 0;
  const began = performance.now();
  const before = process.cpuUsage();
  const ending = began + Number(roundMs);
  const connection = async (first: number) => {
    for (let key = first; performance.now() < ending; key = (key + 13) % keys) {
      const found = await ask(text(key));
      const count = Array.isArray(found) ? found.length : Number(found !== null);
      if (count !== rows) throw new Error(`${count} rows instead of ${rows}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => connection(i * 100)));
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (done * 1000) / (performance.now() - began),
    cpuMicros: (user + system) / done,
  };
}

const measured: Record<string, Record<string, Round[]>> = {};
for (const [question, asked] of Object.entries(questions)) {
  const found: Record<string, Round[]> = { client: [], byHand: [] };
  for (let i = 0; i <= Number(rounds); i++) {
    const order = i % 2 === 0 ? ['client', 'byHand'] : ['byHand', 'client'];
    for (const name of order) {
      const result = await round(subjects[name] as Ask, asked);
      // The first round compiles.
      if (i > 0) found[name]?.push(result);
    }
  }
  measured[question] = found;
}
console.log(JSON.stringify(measured));
process.exit(0);
