/** psycopg 3, asyncpg and SQLAlchemy: the scenarios of `python/`, by the interpreter `SVC_TEST_PYTHON` or `python3`. */

import { test } from 'bun:test';
import { join } from 'node:path';
import { testScenarios } from './scenario.ts';
import { scenariosOf } from './script-process.ts';

const interpreter = process.env['SVC_TEST_PYTHON'] ?? 'python3';
const folder = join(import.meta.dir, 'python');

const clients = [
  { client: 'psycopg', script: 'with_psycopg.py', packages: 'psycopg' },
  { client: 'asyncpg', script: 'with_asyncpg.py', packages: 'asyncpg' },
  { client: 'SQLAlchemy', script: 'with_sqlalchemy.py', packages: 'sqlalchemy, psycopg' },
] as const;

for (const { client, script, packages } of clients) {
  if (hasPackages(client, packages)) {
    testScenarios(client, scenariosOf([interpreter, '-B', join(folder, script)]));
  } else {
    test.skip(`scenarios of ${client}`, () => {});
  }
}

/** Prints that the scenarios are skipped, and how to install the packages. */
function hasPackages(client: string, packages: string): boolean {
  const imported = `import ${packages}`;
  const isHere =
    Bun.which(interpreter) !== null &&
    Bun.spawnSync([interpreter, '-c', imported], { stderr: 'ignore' }).exitCode === 0;
  if (!isHere) {
    console.error(
      `\n*** SKIPPED: the scenarios of ${client}, because "${imported}" fails in ${interpreter}.\n` +
        "*** pip install 'psycopg[binary]' asyncpg sqlalchemy; SVC_TEST_PYTHON names the interpreter\n",
    );
  }
  return isHere;
}
