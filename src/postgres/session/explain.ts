/** EXPLAIN: the plan of a statement as text or JSON, or its program (PIR). */

import { type SqlStatement, unsupported } from '#sql';
import { type Outcome, textResult } from './outcome.ts';
import { nestedIn, type Prepared } from './prepared.ts';
import type { Programs } from './programs.ts';
import type { SessionContext } from './session-context.ts';

export async function explain(
  session: SessionContext,
  programs: Programs,
  { statement, isAnalyze, format }: Extract<SqlStatement, { kind: 'explain' }>,
  prepared: Prepared,
): Promise<Outcome> {
  if (isAnalyze)
    throw unsupported('EXPLAIN ANALYZE', {
      hint: 'Send the program that EXPLAIN (FORMAT PIR) shows to POST /execute with diagnostics.',
    });
  const { compiled } = programs.compile(nestedIn(prepared, statement)).statement;
  const parameters = compiled.parameters.map(() => null);
  const { program } = compiled.instantiate({ parameters, literals: [], session: session.values() });
  const shown = (lines: readonly string[]): Outcome => ({
    tag: 'EXPLAIN',
    result: textResult(
      ['QUERY PLAN'],
      lines.map((line) => [line]),
    ),
  });
  if (format === 'pir') return shown(JSON.stringify(program, undefined, 2).split('\n'));
  const requestContext = programs.requestContext();
  try {
    const request = { program: () => program, dryRun: true, showPlan: true };
    const { plan } = await session.engine.execute(request, requestContext);
    if (format === 'json') return shown([JSON.stringify(plan ?? null, undefined, 2)]);
    return shown(linesOf(plan));
  } finally {
    requestContext.close();
  }
}

/** Returns the members of the plan, each on its own line, indented by depth. */
function linesOf(plan: unknown, depth = 0): readonly string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(plan)) return plan.flatMap((one) => linesOf(one, depth));
  if (typeof plan !== 'object' || plan === null) return [`${indent}${String(plan)}`];
  return Object.entries(plan).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [`${indent}${name}: ${String(value)}`];
    if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
      return [`${indent}${name}: ${value.join(', ')}`];
    return [`${indent}${name}`, ...linesOf(value, depth + 1)];
  });
}
