/**
 * `bun run bench/memory-account.ts [--only NAME*…] [--mib N]`: what the account of memory says of rows, values, keys and writes that are held, against what a
 * process really takes for them. Each shape is made in a process of its own until the account says N MiB (64). `held`: resident after a full
 * collection, over the account; `peak`: the highest resident on the way there, garbage and arrays that grow included.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Shape, shapes } from './memory-account/shapes.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    mib: { type: 'string', default: '64' },
    shape: { type: 'string' },
  },
});
const mebibyte = 2 ** 20;
const target = Number(values.mib) * mebibyte;

if (values.shape === undefined) compareAll();
else measure(shapes.find(({ name }) => name === values.shape) as Shape);

function compareAll(): void {
  console.log(`${'shape'.padEnd(40)} held  peak   (resident / account)`);
  for (const { name } of shapes.filter(isChosen)) {
    const own = [process.execPath, import.meta.path, '--shape', name, '--mib', `${values.mib}`];
    const { stdout, exitCode } = Bun.spawnSync(own, { stderr: 'inherit' });
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
    const { held, peak } = JSON.parse(stdout.toString()) as { held: number; peak: number };
    console.log(`${name.padEnd(40)} ${held.toFixed(2)}  ${peak.toFixed(2)}`);
  }
}

function isChosen({ name }: Shape): boolean {
  return values.only.length === 0 || values.only.some((only) => name.startsWith(only));
}

function measure({ start }: Shape): void {
  // What a shape needs once: compiled code, tables of the runtime.
  const first = start();
  while (first.step() < mebibyte);
  Bun.gc(true);
  const before = residentBytes('VmRSS');
  const held = start();
  let account = 0;
  while (account < target) account = held.step();
  const peak = residentBytes('VmHWM');
  Bun.gc(true);
  Bun.gc(true);
  const after = residentBytes('VmRSS');
  // Used once more, so that nothing of it was let go before.
  held.step();
  console.log(
    JSON.stringify({ held: (after - before) / account, peak: (peak - before) / account }),
  );
}

function residentBytes(field: string): number {
  const status = readFileSync('/proc/self/status', 'latin1');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}
