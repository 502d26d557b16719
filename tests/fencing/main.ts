/** `npm run fencing [-- --rounds N] [-- --bucket]`: writers put to sleep under load and overtaken, again and again; 20 rounds by default. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startFakeServer } from '../s3/fake-server.ts';
import { credentials } from '../s3/gateway.ts';
import { type Takeover, takeOver } from './takeover.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    bucket: { type: 'boolean', default: false },
  },
});

async function inDirectory(programs: number): Promise<Takeover> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-fencing-'));
  const place = ['--storage-path', directory];
  try {
    return await takeOver({ place, lockDirectory: directory, clients: 16, programs });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function inBucket(programs: number): Promise<Takeover> {
  const server = await startFakeServer();
  const { accessKeyId, secretAccessKey } = credentials;
  const place = ['--storage', 's3', '--s3-bucket', 'bucket', '--s3-endpoint', server.endpoint];
  const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  try {
    return await takeOver({ place, env, clients: 16, programs });
  } finally {
    await server.stop();
  }
}

const total = { first: 0, second: 0, late: 0 };
for (let round = 0; round < Number(values.rounds); round++) {
  const programs = 20 + ((round * 97) % 500);
  const takeover = await (values.bucket ? inBucket(programs) : inDirectory(programs));
  if (takeover.firstExit !== 6)
    throw new Error(`the first writer ended with ${takeover.firstExit}`);
  total.first += takeover.acknowledgedByFirst;
  total.second += takeover.acknowledgedBySecond;
  total.late += takeover.acknowledgedLate;
}
console.log(
  `${values.rounds} takeovers: ${total.first} programs acknowledged by writers that were overtaken (${total.late} of them ` +
    `afterwards, which their successors had), ${total.second} by their successors; 0 lost, 0 twice`,
);
