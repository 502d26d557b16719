/** Checks the names in the policies of a file, and reports each unknown or repeated one at its position. */

import { didYouMean } from '#base';
import type { CheckedTable } from '../check-foreign-key.ts';
import type { Findings } from '../findings.ts';
import { type ConditionNames, checkCondition } from './check-condition.ts';
import type { FilePolicies, FilePolicy } from './file-policies.ts';

export function checkPolicies(
  { claims, tables }: FilePolicies,
  known: ReadonlyMap<string, CheckedTable>,
  findings: Findings,
): void {
  const names = { tables: known, claims: new Set(claims.map(({ name }) => name.value)) };
  for (const policy of tables) checkPolicy(policy, names, findings);
}

function checkPolicy(
  { table, rules }: FilePolicy,
  names: Omit<ConditionNames, 'own'>,
  findings: Findings,
): void {
  const own = names.tables.get(table.value);
  if (own === undefined) {
    const text = `policies contains the unknown table ${JSON.stringify(table.value)}`;
    findings.error(table.spot, text, () => didYouMean(table.value, names.tables.keys()));
  }
  const hasRead = rules.some(({ action }) => action === 'read');
  for (const rule of rules) {
    if (rule.rule === 'same_as_read' && !hasRead) {
      findings.error(
        rule.spot,
        `${rule.action} is the same as read, but table ${JSON.stringify(table.value)} has no rule for read`,
        `remove ${rule.action} to permit it for no row`,
      );
    }
    if (typeof rule.rule !== 'object' || own === undefined) continue;
    checkCondition(rule.rule, rule, { ...names, own: table.value }, findings);
  }
}
