/** Which plan a statement had: a fingerprint of the plan as people see it, without its literals. */

import { type Engine, fingerprint, type PreparedProgram, type Ticket } from '#engine';

/** Plans of larger programs are not looked at: showing them takes longer than running them may have. */
const statementsMax = 64;

/** Finds them out once for each plan, by the time of the request; a request that was ended learns no more. Undefined when nothing is to be done. */
export function rememberPlans(
  engine: Engine,
  prepared: PreparedProgram,
  ticket: Ticket,
): Promise<void> | undefined {
  const { plan, planFingerprints } = prepared;
  const { statements } = plan;
  const isShown = statements.length <= statementsMax && statements.some(hasPlan);
  if (planFingerprints !== undefined || !isShown) return undefined;
  return engine.explainFamily(plan, ticket).then(
    (shown) => {
      const found = shown.statements.map(({ name, text }) => [name, fingerprint(text)] as const);
      prepared.planFingerprints = new Map(found);
    },
    () => {},
  );
}

function hasPlan({ kind }: PreparedProgram['plan']['statements'][number]): boolean {
  return kind !== 'catalog';
}
