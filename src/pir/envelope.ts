/** The rules of the envelope: the conditions of a program that are checked before any part of it is bound (docs/pir.md §9, step 3). */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import { checkLimits } from './limits.ts';
import type { Program, Statement } from './program.ts';
import { selectResult } from './result.ts';
import { isRelational } from './statement.ts';

export interface EnvelopeRules {
  readonly mode: 'direct' | 'schema';
  /** The authority of the program: that of a user's program, or of a migration, which may change the catalog in both modes. */
  readonly authority?: 'program' | 'migration';
}

/** Returns the name of the statement whose result is returned; undefined if the result is null. Throws for the first violation. */
export function checkEnvelope(program: Program, rules: EnvelopeRules): string | undefined {
  // The size of a migration depends on the sizes of its two schemas, so that it has no limits.
  if (rules.authority !== 'migration') checkLimits(program);
  const names = new Set<string>();
  program.statements.forEach((statement, index) => {
    if (names.has(statement.name)) throw duplicateName(statement, index);
    names.add(statement.name);
    checkAuthority(statement, index, rules);
  });
  return selectResult(program);
}

function checkAuthority(statement: Statement, index: number, rules: EnvelopeRules): void {
  if (isRelational(statement)) return;
  const { kind, name } = statement;
  const location = { pointer: pointerOf(['statements', index, 'kind']), binding: name };
  const named = `statement ${JSON.stringify(name)}`;
  if (rules.mode === 'schema' && rules.authority !== 'migration') {
    const detail = `${named}: ${kind} is not allowed here: the schema file of this database manages its catalog`;
    throw fail('invalid', detail, { location });
  }
}

function duplicateName({ name }: Statement, index: number): Error {
  return fail('invalid', `duplicate statement name ${JSON.stringify(name)}`, {
    location: { pointer: pointerOf(['statements', index, 'name']), binding: name },
  });
}
