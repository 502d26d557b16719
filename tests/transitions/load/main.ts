/**
 * `npm run migrations-under-load [-- --rows N] [--clients N] [--seed S] [--plants]`: what its clients are told while transitions are at
 * work; with `--plants`, whether wrong rules are noticed. Exit 1: they are not, or an answer was wrong.
 */

import { parseArgs } from 'node:util';
import { huntPlants } from './hunt.ts';
import { migrateUnderLoad } from './run.ts';
import { WrongAnswer } from './server.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
    window: { type: 'string', default: '10000' },
    plants: { type: 'boolean', default: false },
  },
});
process.exit((await (values.plants ? huntPlants() : run())) ? 0 : 1);

async function run(): Promise<boolean> {
  const startedMs = performance.now();
  try {
    await migrateUnderLoad({
      rows: Number(values.rows),
      clients: Number(values.clients),
      seed: Number(values.seed),
      window: Number(values.window),
      print: (line) => console.log(line),
    });
    console.log(`${Math.round((performance.now() - startedMs) / 1000)} s in all`);
    return true;
  } catch (error) {
    if (!(error instanceof WrongAnswer)) throw error;
    console.log(`WRONG\n${error.message}`);
    return false;
  }
}
