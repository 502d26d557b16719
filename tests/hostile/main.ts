/**
 * `npm run hostile [-- --only NAME…] [--part PART…] [--rows N] [--binary PATH] [--json FILE] [--data DIRECTORY] [--list]`: attacks the
 * executable as an outsider would. Exit 1: a goal was missed.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { missedGoals } from './gauge/verdict.ts';
import { attacks } from './registry.ts';
import { heading, lineOf, type Result, summary } from './report.ts';
import { goalsOf, runLive } from './run-live.ts';
import { runAtRest } from './run-rest.ts';
import { openStore, type Store } from './target/store.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    part: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '1000000' },
    binary: { type: 'string', default: 'dist/svc' },
    json: { type: 'string' },
    data: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const chosen = attacks.filter(isChosen);
if (values.list) {
  for (const { part, name, does } of chosen)
    console.log(`${part.padEnd(8)} ${name.padEnd(26)} ${does}`);
  process.exit(0);
}
const binary = resolve(values.binary);
if (chosen.length === 0 || !existsSync(binary)) {
  console.error(chosen.length === 0 ? 'no such attack: --list' : `no ${binary}: npm run build`);
  process.exit(2);
}
const results = await runAll(await openStore(binary, Number(values.rows), values.data));
console.log(summary(results));
if (values.json !== undefined) await Bun.write(values.json, JSON.stringify(results, undefined, 1));
process.exit(results.some(({ missed }) => missed.length > 0) ? 1 : 0);

/** A name or its beginning with `*`; without any, all but those of other parts. */
function isChosen({ name, part }: Attack): boolean {
  const isMeant = (only: string) =>
    only.endsWith('*') ? name.startsWith(only.slice(0, -1)) : name === only;
  const isPart = values.part.length === 0 || values.part.includes(part);
  return isPart && (values.only.length === 0 || values.only.some(isMeant));
}

async function runAll(store: Store): Promise<readonly Result[]> {
  const results: Result[] = [];
  console.log(heading);
  for (const attack of chosen) {
    const result = await run(attack, store);
    results.push(result);
    console.log(lineOf(result));
  }
  return results;
}

async function run(attack: Attack, store: Store): Promise<Result> {
  const { name, part } = attack;
  try {
    if (attack.kind === 'rest') return { name, part, ...(await runAtRest(attack, store)) };
    const reading = await runLive(attack, store);
    return { name, part, got: reading.got, missed: missedGoals(reading, goalsOf(attack)), reading };
  } catch (error) {
    return { name, part, got: [], missed: [`the attack itself failed: ${error}`] };
  }
}
