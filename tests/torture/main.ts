/**
 * `npm run torture [-- --rounds N] [-- --seed S] [-- --storage s3 [--strike server|store]]`: kill -9 under load, 1,000 rounds by default.
 *
 * `--storage s3` runs on a Ceph RGW of its own; `--strike store` kills that instead of the server.
 */

import { parseArgs } from 'node:util';
import { hasGateway } from '../s3/gateway.ts';
import { bucketPlace, filePlace } from './place.ts';
import { torture } from './torture.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'file' },
    strike: { type: 'string', default: 'server' },
  },
});
const { storage, strike } = values;
if (!(storage === 'file' && strike === 'server') && storage !== 's3') usage();
if (strike !== 'server' && strike !== 'store') usage();
if (storage === 's3' && !hasGateway()) process.exit(1);

const from = Date.now();
const report = await torture({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  clients: 16,
  loadMsMax: storage === 's3' ? 600 : 150,
  programBytes: storage === 's3' ? 0 : 20_000,
  place: storage === 's3' ? await bucketPlace(strike) : filePlace(),
  progress: ({ rounds, acknowledged }) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${rounds} kills, ${acknowledged} programs `);
    else if (rounds % 50 === 0) console.log(`${rounds} kills, ${acknowledged} programs`);
  },
});
console.log(
  `${report.rounds} kills of the ${strike} on ${storage}, in ${Math.round((Date.now() - from) / 1000)} s: ` +
    `${report.acknowledged} programs acknowledged, 0 lost, 0 torn; ` +
    `${report.unknown} were in flight${report.refused === 0 ? '' : ` or refused (${report.refused})`}, of which ${report.unknownFound} had been committed`,
);

function usage(): never {
  console.error('torture: --storage file or s3; --strike server, or store with --storage s3');
  process.exit(2);
}
