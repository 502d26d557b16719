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

interface ShownPlan {
  readonly statements: readonly { readonly name: string; readonly text: string }[];
}

/** Returns one line for each operator, and the names of the statements of the program if there are several. */
function linesOf(plan: unknown): readonly string[] {
  const { statements } = (plan ?? { statements: [] }) as ShownPlan;
  return statements.flatMap(({ name, text }) => [
    ...(statements.length > 1 ? [`statement ${name}`] : []),
    ...text.trimEnd().split('\n'),
  ]);
}
