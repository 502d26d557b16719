/**
 * Checks a plan against the rows, for data that it would lose and rows that make it impossible. Each affected table is read once, in bounded memory,
 * with yields to other work. Writes may continue meanwhile, since the online transitions find the same violations later.
 */

import type { Budget } from '#executor';
import { tableLayout } from '#layout';
import type { ReadView } from '#storage';
import type { MigrationPlan } from '../diff/plan.ts';
import type { DiffFinding } from '../finding.ts';
import type { RowCheck } from './check.ts';
import { checksOf, type TableChecks } from './checks.ts';

export interface MigrationPreflight {
  readonly destructive: readonly DiffFinding[];
  readonly blocking: readonly DiffFinding[];
  /** Schema ids of tables that have too many rows to add foreign keys immediately. */
  readonly large: ReadonlySet<number>;
  /** Physical ids of the tables that were searched for data that would be lost. */
  readonly searched: readonly number[];
}

const keyBytesMax = 64 * 2 ** 20;
/** Rows between two calls of `settle`. */
const settleEvery = 1024;

export async function preflight(
  plan: MigrationPlan,
  view: ReadView,
  budget: Budget,
): Promise<MigrationPreflight> {
  const checks = checksOf(plan, keyBytesMax);
  for (const ofTable of checks) await scan(ofTable, view, budget);
  const findings = (of: (checks: TableChecks) => readonly RowCheck[]) =>
    checks.flatMap((ofTable) => of(ofTable).flatMap((check) => check.finding() ?? []));
  return {
    destructive: findings(({ destructive }) => destructive),
    blocking: findings(({ blocking }) => blocking),
    large: new Set(checks.flatMap(({ table, size }) => (size?.isDone ? [table.id] : []))),
    searched: checks.flatMap(({ table, destructive }) =>
      destructive.length > 0 ? [table.physicalId] : [],
    ),
  };
}

async function scan(
  { table, destructive, blocking, size }: TableChecks,
  view: ReadView,
  budget: Budget,
): Promise<void> {
  const all: readonly RowCheck[] = [...destructive, ...blocking, ...(size ? [size] : [])];
  const settle = async () => {
    for (const check of all) await check.settle?.(view);
  };
  const layout = tableLayout(table);
  const reader = layout.reader();
  const cursor = view.scan(layout.range, 'forward');
  try {
    for (let rows = 1; ; ) {
      const step = cursor.next();
      if (step instanceof Promise) {
        await budget.wait(step);
        continue;
      }
      if (!step) break;
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      reader.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
      for (const check of all) check.see(reader);
      if (rows++ % settleEvery === 0) {
        await settle();
        if (all.every((check) => check.isDone)) break;
      }
      const pause = budget.pause(1);
      if (pause !== undefined) await pause;
    }
    await settle();
  } finally {
    cursor.close();
  }
}
