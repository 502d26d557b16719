/** Fingerprints of the plans of statements: hashes of the explained plans without their literals. */

import { type Engine, fingerprint, type PreparedProgram, type RequestContext } from '#engine';

/** Maximum statements of a program whose plans are explained. Explaining more can take longer than their execution. */
const statementsMax = 64;

/**
 * Computes the fingerprints once per plan, within the deadline of the request. Returns `undefined` if there is nothing
 * to do. If the request ends first, the plan stays without fingerprints.
 */
export function rememberPlans(
  engine: Engine,
  prepared: PreparedProgram,
  requestContext: RequestContext,
): Promise<void> | undefined {
  const { plan, planFingerprints } = prepared;
  const { statements } = plan;
  const isShown = statements.length <= statementsMax && statements.some(hasPlan);
  if (planFingerprints !== undefined || !isShown) return undefined;
  return engine.explainFamily(plan, requestContext).then(
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
