/** Which plan a statement had: a fingerprint of the plan as people see it, without its literals. */

import type { Engine, ProgramTrace, StatementTrace, Ticket } from '#engine';
import { fingerprint } from './identity.ts';

/** Plans of larger programs are not looked at: showing them takes longer than running them may have. */
const statementsMax = 64;

/** Of plans that have been looked at; a program that is planned once and run again has the same ones. */
const fingerprints = new WeakMap<StatementTrace['plan'], string>();

/** By the name of the statement, of those that are known. */
export function knownPlans(trace: ProgramTrace | undefined): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const { plan } of trace?.statements ?? []) {
    const found = fingerprints.get(plan);
    if (found !== undefined) known.set(plan.name, found);
  }
  return known;
}

/** By the time of the request; a request that was ended learns no more. Undefined when nothing is to be done. */
export function rememberPlans(
  engine: Engine,
  { plan, statements }: ProgramTrace,
  ticket: Ticket,
): Promise<void> | undefined {
  const isNew = statements.some(({ plan: one }) => !fingerprints.has(one) && isShown(one));
  if (plan === undefined || !isNew || plan.statements.length > statementsMax) return undefined;
  return engine.explainFamily(plan, ticket).then(
    (shown) => {
      const texts = new Map(shown.statements.map(({ name, text }) => [name, text]));
      for (const { plan: one } of statements) {
        const text = texts.get(one.name);
        if (text !== undefined) fingerprints.set(one, fingerprint(text));
      }
    },
    () => {},
  );
}

function isShown({ kind }: StatementTrace['plan']): boolean {
  return kind !== 'catalog';
}
