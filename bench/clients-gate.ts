/**
 * `npm run clients-gate`: whether generated clients have become much dearer than what is written by hand, in a minute and a half. The bounds are a quarter of the goals
 * of `bench/clients.ts`, and 0.2 where there is no goal: of five runs, four on a machine that ran tests beside, none had a ratio below 1.7 times its bound.
 * Exit code 1 below one. To compile 100 tables in Go misses its goal by a factor of three (decision 22), so that its bound is a tenth.
 */

import { clientsMeasured } from './clients.ts';
import type { Measurement } from './measure.ts';

const least = ({ name, goal }: Measurement) => {
  if (name === 'go, 100 tables: compiled') return 0.1;
  return goal > 0 ? 0.25 * goal : 0.2;
};

const found = await clientsMeasured([150, 5, 1000]);
for (const each of found) {
  const isWell = each.ratio >= least(each);
  console.log(
    `${isWell ? 'ok  ' : 'LOW '} ${each.ratio.toFixed(2)} (${least(each).toFixed(2)} at least)  ${each.name}`,
  );
}
process.exit(found.every((each) => each.ratio >= least(each)) ? 0 : 1);
