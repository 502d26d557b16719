/** The part of a migration that changes the row policies, or that they prevent. */

import type { Steps, YieldPolicy } from '#base';
import {
  columnById,
  isSamePolicies,
  type Policies,
  type Table,
  tableById,
  transitionIdText,
  usesOf,
} from '#catalog';
import type { Program } from '#pir';
import { policyTrouble } from '#planner';
import { fateOf } from '../diff/columns.ts';
import type { SchemaPair } from '../diff/pairs.ts';
import type { MigrationPlan } from '../diff/plan.ts';
import type { DiffFinding } from '../finding.ts';
import { type DesiredPolicies, policiesAfter, withoutDeleted } from './desired-policies.ts';
import { policyChanges } from './policy-changes.ts';

interface PolicyPlan {
  readonly before: Policies | undefined;
  readonly after: Policies | undefined;
  readonly isChanged: boolean;
}

/** The plan of a migration with its policies. */
export interface WholePlan extends MigrationPlan {
  readonly policies: PolicyPlan;
}

/** Adds the policies to the plan of a schema. */
export function withPolicies(plan: MigrationPlan, wanted: DesiredPolicies): WholePlan {
  const { pair } = plan.difference;
  const { current, desired } = pair;
  const { policies: before } = current;
  const after = policiesAfter(current, desired, wanted);
  const isChanged = !isSamePolicies(before && withoutDeleted(before, desired), after);
  const blocking = after === undefined ? [] : blockingOf(pair, after);
  return {
    ...plan,
    changes: isChanged ? [...plan.changes, ...policyChanges(desired, before, after)] : plan.changes,
    blocking: [...plan.blocking, ...blocking],
    policies: { before, after, isChanged },
  };
}

/**
 * Returns the program of the migration. If the policies change, it removes them first, so that they do not prevent changes that the new policies permit. All
 * statements are one commit.
 */
export function wholeProgram({ program, policies }: WholePlan): Program {
  const { before, after, isChanged } = policies;
  if (!isChanged) return program;
  const kind = 'set_policies';
  return {
    statements: [
      ...(before === undefined
        ? []
        : [{ kind, name: 'former_policies', policies: undefined } as const]),
      ...program.statements,
      ...(after === undefined ? [] : [{ kind, name: 'policies', policies: after } as const]),
    ],
  };
}

/** Returns the errors of changed policies for the desired schema. */
export function* policyErrors(
  { difference, policies }: WholePlan,
  pace: YieldPolicy,
): Steps<readonly string[]> {
  const { desired } = difference.pair;
  const { after, isChanged } = policies;
  if (!isChanged || after === undefined) return [];
  const trouble = yield* policyTrouble({ ...desired, policies: after }, pace);
  if (trouble === undefined) return [];
  const { table, action, pointer, detail } = trouble;
  const name = tableById(desired, table)?.name;
  return [`the ${action} policy of table "${name}": ${pointer}: ${detail}`];
}

/** Returns a finding for each table and column that policies read and that the migration takes away or converts. */
function blockingOf(pair: SchemaPair, policies: Policies): readonly DiffFinding[] {
  const findings = usesOf(policies).flatMap(({ owner, table: id, column }) => {
    const name = nameOf(pair, owner);
    const found = troubleOf(pair, id, column);
    if (found === undefined) return [];
    const { what, table, advice = 'change that policy first', ...place } = found;
    const summary = `${what}: the row policy of table ${name} reads it; ${advice}`;
    return { kind: 'policy_dependency', summary, table, ...place } as const;
  });
  return [...new Map(findings.map((finding) => [finding.summary, finding])).values()];
}

interface Trouble {
  readonly what: string;
  readonly table: string;
  readonly column?: string;
  readonly advice?: string;
}

function troubleOf(
  pair: SchemaPair,
  id: number,
  columnId: number | undefined,
): Trouble | undefined {
  const before = tableById(pair.current, id);
  if (tableById(pair.desired, id) === undefined) {
    const table = before?.name ?? `${id}`;
    return { what: `table ${table} cannot be deleted`, table };
  }
  if (before === undefined || columnId === undefined) return undefined;
  return troubleOfColumn(pair, before, columnId);
}

function troubleOfColumn(pair: SchemaPair, before: Table, id: number): Trouble | undefined {
  const tables = pair.tables.find(({ after }) => after.id === before.id);
  const column = columnById(before, id);
  if (tables === undefined || column === undefined) return undefined;
  const found = tables.columns.find(({ after }) => after.id === id);
  const table = tables.after.name;
  const name = found?.after.name ?? column.name;
  const place = { table, column: name };
  if (found === undefined) return { what: `column ${table}.${name} cannot be deleted`, ...place };
  const active = before.transitions?.find(
    (one) => one.kind === 'column_replacement' && one.column === id,
  );
  if (active !== undefined) {
    const what = `column ${table}.${name} is being replaced by ${transitionIdText(active.id)}`;
    return { what, ...place, advice: 'wait for its end or cancel it' };
  }
  if (fateOf(found) !== 'rewritten') return undefined;
  return { what: `column ${table}.${name} cannot be replaced`, ...place };
}

function nameOf({ current, desired }: SchemaPair, table: number): string {
  return (tableById(desired, table) ?? tableById(current, table))?.name ?? `${table}`;
}
