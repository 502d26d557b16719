/** Selects the statement whose result a program returns (docs/pir.md §1). */

import { fail } from '#failure';
import type { Program } from './program.ts';
import { isRelational } from './statement.ts';

/** Returns the name of the statement. Returns `undefined` if the program has no relational statement; its result is then null. */
export function selectResult({ statements, result }: Program): string | undefined {
  if (result !== undefined) return named(statements, result);
  const [only] = statements;
  if (!statements.some(isRelational)) return undefined;
  if (statements.length === 1 && only !== undefined) return only.name;
  throw fail(
    'invalid',
    'a program of several statements must name in `result` the statement whose result it returns',
    { location: { pointer: '' } },
  );
}

function named(statements: Program['statements'], name: string): string {
  const found = statements.find((statement) => statement.name === name);
  if (found !== undefined && isRelational(found)) return name;
  const why = found === undefined ? 'no statement has that name' : `${found.kind} has no result`;
  throw fail('invalid', `result ${JSON.stringify(name)}: ${why}`, {
    location: { pointer: '/result', binding: name },
  });
}
