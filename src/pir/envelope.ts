/** The rules of the envelope: what must hold of a program before anything in it is bound (pir.md §2 step 3, §3, §6). */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import { checkLimits } from './limits.ts';
import type { Program, Statement } from './program.ts';
import { selectResult } from './result.ts';
import { isRelational } from './statement.ts';

export interface EnvelopeRules {
  readonly mode: 'direct' | 'schema';
  /** The authority that speaks: a user's program, or a migration, which may change the catalog in both modes. */
  readonly authority?: 'program' | 'migration';
}

/** The name of the statement whose result is returned; undefined when the answer is null. Throws for the first violation. */
export function checkEnvelope(program: Program, rules: EnvelopeRules): string | undefined {
  // A migration is as large as the schemas that it leads from and to.
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
