/** `npm run torture [-- --rounds N] [-- --seed S]`: kill -9 under load, 1,000 rounds by default. */

import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const report = await torture({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  clients: 16,
  loadMsMax: 150,
  progress: ({ rounds, acknowledged, unknown }) => {
    if (rounds % 50 === 0)
      console.log(`${rounds} kills: ${acknowledged} kept, ${unknown} in flight`);
  },
});
console.log(
  `${report.rounds} kills: ${report.acknowledged} programs acknowledged, 0 lost, 0 torn; ` +
    `${report.unknown} were in flight, of which ${report.unknownFound} had been committed`,
);
