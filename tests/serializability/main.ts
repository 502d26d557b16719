/**
 * `npm run serializability [-- --rounds N] [--from SEED] [--transactions N] [--kills N] [--plants]`: rounds of all workloads, each on
 * the server as it is and on one that interleaves its programs; with `--plants`, whether wrong rules are noticed. Exit 1: they are not,
 * or an anomaly was found.
 */

import { parseArgs } from 'node:util';
import { changedTree } from '../mutants/tree.ts';
import { judge, workloads } from './judge.ts';
import { interleaved, plants } from './plants.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    transactions: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '16' },
    kills: { type: 'string', default: '5' },
    plants: { type: 'boolean', default: false },
  },
});
const options = {
  transactions: Number(values.transactions),
  clients: Number(values.clients),
  kills: Number(values.kills),
};
const first = Number(values.from);
const rounds = Number(values.rounds);
process.exit((await (values.plants ? huntPlants() : runRounds())) ? 0 : 1);

async function runRounds(): Promise<boolean> {
  using tree = changedTree([interleaved]);
  for (let seed = first; seed < first + rounds; seed++) {
    for (const name of workloads) {
      for (const root of [undefined, tree.path]) {
        const where = root === undefined ? {} : { root };
        const { report, anomalies } = await judge(name, { ...options, seed, ...where });
        const kind = root === undefined ? 'as it is' : 'interleaved';
        console.log(
          `seed ${seed} ${name.padEnd(9)} ${kind.padEnd(11)} ${report.ok} ok, ${report.failed} conflicts, ${report.unknown} unknown, ${report.kills} kills, ${anomalies.length} anomalies`,
        );
        for (const { name: what, detail } of anomalies.slice(0, 3))
          console.log(`${what}: ${detail}`);
        if (anomalies.length > 0) return false;
      }
    }
  }
  return true;
}

/** Each must be noticed by some workload within the rounds. */
async function huntPlants(): Promise<boolean> {
  let survivors = 0;
  for (const plant of plants) {
    using tree = changedTree([interleaved, plant]);
    let noticed: string | undefined;
    for (let seed = first; seed < first + rounds && noticed === undefined; seed++) {
      for (const name of workloads) {
        const { anomalies } = await judge(name, { ...options, seed, root: tree.path });
        noticed ??= anomalies[0] && `${anomalies[0].name} by ${name}, seed ${seed}`;
      }
    }
    if (noticed === undefined) survivors++;
    console.log(`${plant.name.padEnd(52)} ${noticed ?? 'SURVIVED'}`);
  }
  console.log(`${plants.length - survivors} of ${plants.length} wrong rules noticed`);
  return survivors === 0;
}
