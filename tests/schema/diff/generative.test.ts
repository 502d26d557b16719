/** Carrying out the program of a difference leads exactly to the desired schema. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  applyChange,
  type Catalog,
  canonicalSchema,
  type DeclaredTable,
  declareCatalog,
  emptyCatalog,
  liveTransitions,
  publishTransition,
  relaxedColumn,
  startTransition,
} from '#catalog';
import { DatabaseError } from '#failure';
import { isCatalog, isTransition, type Program } from '#pir';
import { planMigration } from '#schema';
import { plainNaming, schemaOf } from '../arbitrary.ts';
import { edited, editsOf } from './edits.ts';

/** All statements, and then all online work in the order of its prerequisites. */
function carriedOut(catalog: Catalog, { statements }: Program): Catalog {
  const started = new Map<string, number>();
  let current = catalog;
  for (const statement of statements) {
    if (isCatalog(statement)) {
      current = applyChange(current, statement).catalog;
    } else if (isTransition(statement)) {
      const after = (statement.after ?? []).map((name) => started.get(name) as number);
      const { catalog: next, record } = startTransition(current, statement, after);
      started.set(statement.name, record.id);
      current = next;
    }
  }
  return finished(current);
}

function finished(catalog: Catalog): Catalog {
  let current = catalog;
  for (const { transition } of liveTransitions(catalog)) {
    const live = liveTransitions(current).find((one) => one.transition.id === transition.id);
    if (live === undefined) throw new Error('a transition is gone');
    const column = relaxedColumn(live.table, live.transition);
    current = publishTransition(current, transition.id, column);
  }
  return current;
}

/** Undefined when the edits made something that is no schema. */
function declared(definitions: readonly DeclaredTable[]): Catalog | undefined {
  try {
    return declareCatalog(definitions);
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

/** As a database holds it: every object with a physical id of its own. */
function stored(definitions: readonly DeclaredTable[]): Catalog {
  const { program } = planMigration(emptyCatalog, declareCatalog(definitions), () => false);
  return carriedOut(emptyCatalog, program);
}

const counts = { made: 0, refused: 0, blocked: 0, kinds: new Set<string>() };

function check(before: readonly DeclaredTable[], after: readonly DeclaredTable[], large: boolean) {
  const desired = declared(after);
  if (desired === undefined || hasCircle(before)) return;
  const current = stored(before);
  const plan = planMigration(current, desired, () => large);
  if (plan.difference.rejections.length > 0) {
    counts.refused++;
    return;
  }
  if (plan.blocking.length > 0) {
    counts.blocked++;
    return;
  }
  const reached = carriedOut(current, plan.program);
  expect(canonicalSchema(reached)).toBe(canonicalSchema(desired));
  for (const { kind } of plan.program.statements) counts.kinds.add(kind);
  counts.made++;
  const again = planMigration(reached, desired, () => large);
  expect({ changes: again.changes, program: again.program }).toEqual({
    changes: [],
    program: { statements: [] },
  });
}

/** Foreign keys in a circle cannot be created with their tables. */
function hasCircle(definitions: readonly DeclaredTable[]): boolean {
  const plan = planMigration(emptyCatalog, declareCatalog(definitions), () => false);
  return plan.difference.rejections.length > 0;
}

test('a few edits of a schema', () => {
  fc.assert(
    fc.property(schemaOf(plainNaming), editsOf(6), fc.boolean(), (before, edits, large) => {
      check(before, edited(before, edits), large);
    }),
    { numRuns: 400 },
  );
  // The test is about migrations that are made, of every kind.
  expect(counts.made).toBeGreaterThan(150);
  expect([...counts.kinds].sort()).toEqual(
    [
      'change_column_default',
      'create_column',
      'create_foreign_key',
      'create_table',
      'delete_column',
      'delete_foreign_key',
      'delete_index',
      'delete_table',
      'rename_column',
      'rename_table',
      'start_column_replacement',
      'start_constraint_validation',
      'start_index_build',
    ].sort(),
  );
});

test('any two schemas', () => {
  fc.assert(fc.property(schemaOf(plainNaming), schemaOf(plainNaming), fc.boolean(), check), {
    numRuns: 300,
  });
});
