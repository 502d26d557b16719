/** The larger suites of a module: test suites of other modules that exercise it from above, and that CI runs. */

import { readFileSync } from 'node:fs';
import { Glob } from 'bun';
import { slow, timings } from '../ci/suite.ts';

/** By module; `*` is every other module. A path that ends in `/` is a folder. */
const larger: Readonly<Record<string, readonly string[]>> = {
  storage: [
    ...['tests/engine/', 'tests/statistics/', 'tests/transitions/', 'tests/observe/'],
    ...['tests/server/damage.test.ts', 'tests/server/loss.test.ts', 'tests/server/outage.test.ts'],
    ...['tests/simulator/simulator.test.ts', 'tests/generative/large/'],
    ...['tests/s3/', 'tests/readers/', 'tests/torture/', 'tests/fencing/'],
  ],
  transitions: [
    ...['tests/engine/', 'tests/http/', 'tests/schema/', 'tests/openapi/'],
    ...['tests/docs/', 'tests/cli/schema.test.ts', 'tests/serializability/'],
  ],
  server: [
    ...['tests/http/', 'tests/docs/', 'tests/openapi/', 'tests/cli/serve.test.ts'],
    ...['tests/cli/', 'tests/examples/', 'tests/readers/', 'tests/torture/'],
  ],
  cli: [
    'tests/docs/',
    'tests/schema/',
    'tests/server/',
    'tests/examples/',
    'tests/codegen/generate/',
  ],
  schema: [
    ...['tests/http/', 'tests/transitions/', 'tests/codegen/generate/', 'tests/docs/'],
    ...['tests/openapi/', 'tests/cli/'],
  ],
  engine: [
    ...['tests/wire/', 'tests/pir/', 'tests/planner/', 'tests/executor/', 'tests/statistics/'],
    ...['tests/observe/', 'tests/relay/', 'tests/http/', 'tests/schema/', 'tests/cases.test.ts'],
    ...['tests/docs/', 'tests/openapi/', 'tests/transitions/', 'tests/server/', 'tests/readers/'],
    ...['tests/s3/', 'tests/generative/', 'tests/serializability/serializability.test.ts'],
  ],
  http: [
    ...['tests/wire/', 'tests/engine/', 'tests/openapi/', 'tests/docs/', 'tests/cases.test.ts'],
    ...['tests/schema/', 'tests/transitions/', 'tests/server/', 'tests/client/'],
    ...['tests/generative/templates.test.ts', 'tests/generative/tags.test.ts'],
  ],
  client: ['tests/cli/', 'tests/examples/'],
  relay: ['tests/server/', 'tests/readers/'],
  '*': [
    ...['tests/wire/', 'tests/pir/', 'tests/lir/', 'tests/planner/', 'tests/executor/'],
    ...['tests/engine/', 'tests/http/', 'tests/cases.test.ts', 'tests/docs/', 'tests/openapi/'],
    ...['tests/transitions/', 'tests/generative/'],
    ...['tests/serializability/serializability.test.ts'],
  ],
};

/** Milliseconds of a test file that the timings do not contain. */
const usualMs = 400;

const known = (JSON.parse(readFileSync(timings, 'utf8')) as { files: Record<string, number> })
  .files;

const slowPatterns = slow.map((pattern) => new Glob(pattern));

/** Reports whether only CI runs a test file, and `npm test` does not. */
export function isSlow(path: string): boolean {
  return slowPatterns.some((pattern) => pattern.match(path));
}

/** Returns the larger suites among `paths` of a source file, the cheapest first. */
export function largerSuites(
  file: string,
  paths: readonly string[],
): readonly { readonly path: string; readonly ms: number }[] {
  const module = file.split('/')[1] ?? '';
  const wanted = [...(larger[module] ?? larger['*'] ?? []), `tests/${module}/`];
  return paths
    .filter((path) =>
      wanted.some((each) => (each.endsWith('/') ? path.startsWith(each) : path === each)),
    )
    .map((path) => ({ path, ms: known[path] ?? usualMs }))
    .toSorted((a, b) => a.ms - b.ms);
}
