/** `npm run fuzz-policies -- [--twins] [--seed S] [--programs N]`: generated programs of users to whom policies apply, as many as wanted. */

import { parseArgs } from 'node:util';
import { searchPolicies, searchTwins } from './search.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    programs: { type: 'string', default: '20000' },
    twins: { type: 'boolean', default: false },
  },
});
const coverage = { programs: 0, done: 0, violations: 0, affected: 0, refused: 0 };
const search = values.twins ? searchTwins : searchPolicies;
for (let turn = 0; coverage.programs < Number(values.programs); turn++) {
  const seed = (Number(values.seed) + Math.imul(turn, 0x9e3779b1)) | 0;
  const report = await search(seed, 100, coverage);
  if (report === undefined) continue;
  console.log(report);
  process.exit(1);
}
console.log(JSON.stringify(coverage));
