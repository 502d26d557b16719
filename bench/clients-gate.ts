/**
 * `npm run clients-gate`: whether generated clients have become much dearer than what is written by hand, in a minute and a half. The bounds are a quarter of the goals
 * of `bench/clients.ts`, and 0.2 where there is no goal: of five runs, four on a machine that ran tests beside, none had a ratio below 1.7 times its bound.
 * Exit code 1 below one.
 */

import { clientsMeasured } from './clients.ts';

const least = (goal: number) => (goal > 0 ? 0.25 * goal : 0.2);

const found = await clientsMeasured([150, 5, 1000]);
for (const { name, ratio, goal } of found) {
  const isWell = ratio >= least(goal);
  console.log(
    `${isWell ? 'ok  ' : 'LOW '} ${ratio.toFixed(2)} (${least(goal).toFixed(2)} at least)  ${name}`,
  );
}
process.exit(found.every(({ ratio, goal }) => ratio >= least(goal)) ? 0 : 1);
