/** Checks policies before they are stored: each condition must bind, be a boolean, and be unable to fail. */

import { anyone } from '#access';
import type { Steps, YieldPolicy } from '#base';
import {
  type Catalog,
  type PolicyAction,
  policyActions,
  rowScope,
  type Table,
  tableById,
} from '#catalog';
import { DatabaseError, type Reason } from '#failure';
import { changedRows } from '../bind/changed-rows.ts';
import { BindContext } from '../bind/context.ts';
import { Extent } from '../bind/extent.ts';
import { permittedRows } from '../bind/policy.ts';
import { ProgramNeeds } from '../bind/program-needs.ts';
import { CanFailAnalysis } from '../facts/can-fail.ts';

export interface PolicyTrouble {
  /** Schema id of the table whose policy is wrong. */
  readonly table: number;
  readonly action: PolicyAction;
  /** JSON pointer into the condition: `/where…` or `/nodes/…`. */
  readonly pointer: string;
  readonly reason: Reason;
  readonly detail: string;
}

/** Work per rule, in rows. */
const ruleWork = 64;

/** Returns the first violation in the policies of the catalog; `undefined` if there is none. Yields between rules according to `pace`. */
export function* policyTrouble(
  catalog: Catalog,
  pace: YieldPolicy,
): Steps<PolicyTrouble | undefined> {
  const { policies } = catalog;
  for (const policy of policies?.tables ?? []) {
    const table = tableById(catalog, policy.table);
    for (const action of policyActions) {
      const rule = policy[action];
      if (table === undefined || rule === undefined || typeof rule === 'string') continue;
      const wait = pace.pause(ruleWork);
      if (wait !== undefined) yield wait;
      const trouble = yield* troubleOf(catalog, table, action, pace);
      if (trouble !== undefined) return { table: table.id, action, ...trouble };
    }
  }
  return undefined;
}

type Trouble = Omit<PolicyTrouble, 'table' | 'action'>;

function* troubleOf(
  catalog: Catalog,
  table: Table,
  action: PolicyAction,
  pace: YieldPolicy,
): Steps<Trouble | undefined> {
  try {
    const bound = yield* boundRows(catalog, table, action, pace);
    if (!new CanFailAnalysis([]).relationCanRaise(bound)) return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { reason, detail, location } = error.failure;
    return { pointer: location?.pointer ?? '/where', reason, detail };
  }
  const detail =
    'the condition of a policy must not be able to fail, as the negation of an int64 and the cast of a float64 to int64 can';
  return { pointer: '/where', reason: 'invalid', detail };
}

function boundRows(catalog: Catalog, table: Table, action: PolicyAction, pace: YieldPolicy) {
  const around = {
    ...{ catalog, principal: anyone, results: new Map(), reserved: new Set<string>() },
    ...{ pointer: '', statement: undefined, extent: new Extent(), needs: new ProgramNeeds() },
    pace,
  };
  const query = { nodes: {}, root: { node: rowScope, cardinality: 'many' } } as const;
  const context = new BindContext(query, around, new Set());
  return permittedRows(context, table, action, changedRows(context, table));
}
