/** Writes the cases of the corpus: `bun run tests/clients/write.ts`. What the server answers is checked by the oracle before it is a golden. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReading } from './is-reading.ts';
import { made } from './make/index.ts';
import { pages } from './make/pages.ts';
import {
  type Case,
  corpus,
  openStage,
  oracleDatabase,
  oracleOutcome,
  outcomeOf,
  pageAt,
} from './stage.ts';

const oracle = oracleDatabase();
let stage = await openStage();
let differences = 0;
const files = { ...made, pages: await pages(pageAt, stage.db) };
for (const [file, cases] of Object.entries(files)) {
  const lines: string[] = [];
  for (const [name, build] of cases) {
    const found: Case = { name, build, ...(await outcomeOf(build, stage.db)) };
    if (!isReading(build)) {
      await stage[Symbol.asyncDispose]();
      stage = await openStage();
    }
    if (found.text !== undefined) {
      const { result, problem } = oracleOutcome(build, oracle);
      const told = found.problem && { reason: found.problem.reason };
      const expected = problem && { reason: problem.reason };
      const isOpen = result === undefined && problem === undefined;
      if (!isOpen && JSON.stringify([found.result, told]) !== JSON.stringify([result, expected])) {
        differences++;
        console.log(
          `${file}: ${name}\n  server ${JSON.stringify([found.result, found.problem])}\n  oracle ${JSON.stringify([result, problem])}`,
        );
      }
    }
    lines.push(JSON.stringify(found));
  }
  writeFileSync(join(corpus, 'cases', `${file}.json`), `[\n${lines.join(',\n')}\n]\n`);
}
await stage[Symbol.asyncDispose]();
if (differences > 0) process.exit(1);
