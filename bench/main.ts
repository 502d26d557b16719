/**
 * `npm run bench [-- --quick] [-- --json FILE] [-- --rows N] [-- --old PATH] [-- NAME…]`: runs the suites, prints ratios and goals; exit code 1 when a goal is missed. `--quick` takes
 * less time for each, and without names only for what a change is likely to slow down: about a minute. `--rows` is the size of `plans`;
 * `executables` compares the executable that `npm run build` has made with the one at `--old`. `-- workloads` and `-- pages` have options of their own (workloads.ts).
 */

import { benchBucketCommits } from './bucket-commits.ts';
import { benchClients } from './clients.ts';
import { benchCosts } from './costs.ts';
import { benchEngine } from './engine.ts';
import { benchExecutables } from './executables.ts';
import { benchInserts } from './inserts.ts';
import { benchLoadMemory } from './load-memory.ts';
import type { Measurement } from './measure.ts';
import { benchNested } from './nested.ts';
import { benchOpening } from './opening.ts';
import { benchOperations } from './operations.ts';
import { benchPlans } from './plan-quality.ts';
import { benchPolicies } from './policies.ts';
import { benchReaders } from './readers.ts';
import { benchReads } from './reads.ts';
import { benchSchema } from './schema.ts';
import { benchTransfers } from './transfers.ts';
import { runWorkload, workloads } from './workloads.ts';

const suites: Readonly<Record<string, (isQuick: boolean) => Promise<readonly Measurement[]>>> = {
  reads: benchReads,
  inserts: benchInserts,
  transfers: benchTransfers,
  s3: benchBucketCommits,
  readers: benchReaders,
  engine: benchEngine,
  opening: benchOpening,
  schema: benchSchema,
};

/** With `--quick` and no name. */
const quick = ['reads', 'inserts'];

/** Long ones run when they are named only. */
const named: typeof suites = {
  load5g: benchLoadMemory,
  operations: benchOperations,
  clients: benchClients,
  plans: (isQuick) => benchPlans(isQuick, rows),
  costs: benchCosts,
  nested: benchNested,
  policies: benchPolicies,
  executables: (isQuick) => benchExecutables(isQuick, old),
};

const args = process.argv.slice(2);
const [first] = args;
if (first !== undefined && first in workloads)
  process.exit(await runWorkload(first, args.slice(1)));
const jsonAt = args.indexOf('--json');
const jsonFile = jsonAt < 0 ? undefined : args.splice(jsonAt, 2)[1];
const rowsAt = args.indexOf('--rows');
const rows = rowsAt < 0 ? undefined : Number(args.splice(rowsAt, 2)[1]);
const oldAt = args.indexOf('--old');
const old = oldAt < 0 ? undefined : args.splice(oldAt, 2)[1];
const isQuick = args.includes('--quick');
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = args.find((arg) =>
  arg.startsWith('--') ? arg !== '--quick' : !(arg in suites || arg in named),
);
const isWrong =
  (jsonAt >= 0 && jsonFile === undefined) ||
  (oldAt >= 0 && old === undefined) ||
  (rows !== undefined && !(Number.isSafeInteger(rows) && rows >= 1_000));
if (unknown !== undefined || isWrong) {
  const allowed = `--quick, --json FILE, --rows N (at least 1000), --old PATH, ${[...Object.keys(suites), ...Object.keys(named), ...Object.keys(workloads)].join(', ')}`;
  console.error(
    `bench: cannot use ${unknown ?? 'an option without its value'}; allowed: ${allowed}`,
  );
  process.exit(2);
}

const results: Measurement[] = [];
const unnamed = isQuick ? quick : Object.keys(suites);
for (const name of names.length > 0 ? names : unnamed) {
  const suite = (suites[name] ?? named[name]) as (
    isQuick: boolean,
  ) => Promise<readonly Measurement[]>;
  for (const result of await suite(isQuick)) {
    results.push(result);
    const verdict = result.ratio >= result.goal ? 'ok  ' : 'MISS';
    const figures = `${result.subject} against ${result.reference}`;
    console.log(
      `${verdict} ${result.ratio.toFixed(2)} (goal ${result.goal})  ${result.name}: ${figures}`,
    );
  }
}
if (jsonFile !== undefined) await Bun.write(jsonFile, `${JSON.stringify(results, null, 2)}\n`);
process.exit(results.every((result) => result.ratio >= result.goal) ? 0 : 1);
