/** Checks the types in the policies of a file: the planner binds each condition, as it does for a request. */

import type { Steps, YieldPolicy } from '#base';
import { type Catalog, type Policies, policyActions, type TablePolicy, tableById } from '#catalog';
import { type PolicyTrouble, policyTrouble } from '#planner';
import type { Findings } from '../findings.ts';
import { type FilePolicies, spotOfPart } from './file-policies.ts';

/** Reports the first violation of each rule. Yields between rules according to `pace`. */
export function* checkPolicyTypes(
  catalog: Catalog,
  policies: Policies,
  file: FilePolicies,
  findings: Findings,
  pace: YieldPolicy,
): Steps<void> {
  for (const table of policies.tables) {
    for (const tables of rulesOf(table)) {
      const one = { ...catalog, policies: { ...policies, tables: [tables] } };
      const trouble = yield* policyTrouble(one, pace);
      if (trouble !== undefined) report(trouble, catalog, file, findings);
    }
  }
}

/** Returns the rules of a table, one at a time. */
function rulesOf({ table, ...rules }: TablePolicy): readonly TablePolicy[] {
  return policyActions.flatMap((action) => {
    const rule = rules[action];
    return rule === undefined ? [] : [{ table, [action]: rule }];
  });
}

function report(
  { table: id, action, pointer, detail }: PolicyTrouble,
  catalog: Catalog,
  { tables }: FilePolicies,
  findings: Findings,
): void {
  const name = tableById(catalog, id)?.name;
  const policy = tables.find(({ table }) => table.value === name);
  const rule = policy?.rules.find((one) => one.action === action);
  if (rule !== undefined) findings.error(spotOfPart(rule, pointer), detail);
}
