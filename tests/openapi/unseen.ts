/**
 * `bun run tests/openapi/unseen.ts DIRECTORY`: members of the shapes of answers that no answer of a run of all tests has had, whose processes noted them in
 * that directory (`ANSWERED_MEMBERS`). Exit code 1 when there is one that is not accounted for below.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allMembers } from './members.ts';

/** By component: why there may be none in a run. */
const accounted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OpenApiDocument: { openapi: 'too long to be looked through at each answer' },
  StatisticsPhysicalRequestCost: {
    class: 'tests/s3, which want a server',
    errors: 'tests/s3, which want a server',
    observedRequests: 'tests/s3, which want a server',
  },
};

const [directory = ''] = process.argv.slice(2);
const seen = new Set(
  readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n')),
);
const excused = new Set(
  Object.entries(accounted).flatMap(([component, members]) =>
    Object.keys(members).map((member) => `#/components/schemas/${component}/properties/${member}`),
  ),
);
const all = [...allMembers()].sort();
const missing = all.filter((member) => !seen.has(member) && !excused.has(member));
const gone = [...excused].filter((member) => !all.includes(member));
for (const member of missing) console.log(`no answer has ${member}`);
for (const member of gone) console.log(`no shape has ${member}: take it off the list`);
console.log(`${all.length} members, ${all.length - missing.length - excused.size} seen or more`);
if (missing.length + gone.length > 0) process.exit(1);
