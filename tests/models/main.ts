/**
 * Runs the models: `npm run models` all runs that end within minutes, `-- all` also the long ones, `-- bucket writers=3 net=0` or
 * `-- local noSeal` one setting. Prints a counterexample step by step; fails when an outcome is not the expected one.
 */

import type { Progress } from './explore.ts';
import { carryOut, runs } from './runs.ts';

const tellMs = 30_000;

function every(ms: number, tellOf: (progress: Progress) => void): (progress: Progress) => void {
  let lastMs = performance.now();
  return (progress) => {
    if (performance.now() - lastMs < ms) return;
    lastMs = performance.now();
    tellOf(progress);
  };
}

function tell(words: string, { states, open, depth }: Progress): void {
  console.error(`  ${words || 'default'}: ${states} states, ${open} of them open, depth ${depth}`);
}

function report(run: { readonly model: 'bucket' | 'local'; readonly words: string }) {
  const began = performance.now();
  const outcome = carryOut(
    run,
    every(tellMs, (progress) => tell(run.words, progress)),
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { kind, what, states, depth, path } = outcome;
  const steps = kind === 'violation' ? `${path.length} steps: ${what}` : `depth ${depth}`;
  console.log(
    `${run.model} ${run.words || 'default'}: ${kind}, ${states} states, ${steps}, ${seconds} s`,
  );
  return outcome;
}

const [first, ...rest] = process.argv.slice(2);
if (first === 'bucket' || first === 'local') {
  for (const label of report({ model: first, words: rest.join(' ') }).path)
    console.log(`  ${label}`);
} else {
  let surprises = 0;
  for (const run of runs) {
    if (run.size === 'long' && first !== 'all') continue;
    if (report(run).kind === run.expected) continue;
    surprises++;
    console.log(`  UNEXPECTED: it should be ${run.expected}`);
  }
  process.exitCode = surprises === 0 ? 0 : 1;
}
