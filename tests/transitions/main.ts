/** `npm run crash-transitions`: every kind of transition, the power going at each of its effects. A line for each as it ends. */

import { cases, crashes } from './crashes.ts';

const startedMs = performance.now();
let sum = 0;
for (const [number, one] of cases.entries()) {
  const caseStartedMs = performance.now();
  const effects = await crashes(one, 1, 1);
  sum += effects;
  const progress = `${number + 1}/${cases.length} ${one[0]}`;
  console.log(
    `${progress}: ${effects} effects, the same end after a power loss at each, ${since(caseStartedMs)}`,
  );
}
console.log(`${cases.length} cases, ${sum} power losses, ${since(startedMs)}`);

function since(ms: number): string {
  return `${((performance.now() - ms) / 1000).toFixed(1)} s`;
}
