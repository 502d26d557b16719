/** Computes the difference between two schemas as steps in their order of execution (docs/migrations.md). */

import type { Steps, YieldPolicy } from '#base';
import {
  type Catalog,
  type ForeignKey,
  type Index,
  pendingForeignKeys,
  type Table,
  tableById,
} from '#catalog';
import {
  createColumnSteps,
  defaultSteps,
  deleteColumnSteps,
  fateOf,
  notNullSteps,
  replacementSteps,
} from './columns.ts';
import {
  createForeignKeySteps,
  deleteForeignKeySteps,
  foreignKeyDifference,
  validateForeignKeySteps,
} from './foreign-keys.ts';
import { buildIndexSteps, deleteIndexSteps, indexDifference } from './indexes.ts';
import { pairSchemas, type SchemaPair, type TablePair } from './pairs.ts';
import { rejectionsOf } from './rejections.ts';
import { renameSteps } from './renames.ts';
import { Simulation } from './simulation.ts';
import { bySummary, type Step } from './step.ts';
import { createTableSteps, deleteTableSteps } from './tables.ts';

export interface Difference {
  readonly pair: SchemaPair;
  readonly steps: readonly Step[];
  /** The current catalog with the new names of its tables and columns. */
  readonly renamed: Catalog;
  /** Foreign keys added to tables that exist in both schemas, immediately or online. */
  readonly addedKeys: readonly AddedKey[];
  /** The reasons why no migration is possible; empty if one is possible. */
  readonly rejections: readonly string[];
}

interface AddedKey {
  readonly table: Table;
  readonly foreignKey: ForeignKey;
}

/** Returns the difference. `isLarge` selects the tables whose foreign keys are validated online. */
export function* difference(
  current: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
  pace: YieldPolicy,
): Steps<Difference> {
  const pair = pairSchemas(current, desired);
  yield* stage(pace);
  const rejections = [...rejectionsOf(pair)];
  yield* stage(pace);
  if (rejections.length > 0) {
    return { pair, steps: [], renamed: current, addedKeys: [], rejections };
  }
  const simulation = new Simulation(current);
  const renames = renameSteps(pair);
  yield* simulation.take(renames, pace);
  const renamed = simulation.catalog;
  const members: MemberDifference[] = [];
  for (const tables of pair.tables) {
    const wait = pace.pause(tables.after.columns.length);
    if (wait !== undefined) yield wait;
    members.push(memberDifference(tables, renamed, desired, isLarge));
  }
  rejections.push(...members.flatMap((member) => member.rejections));
  yield* stage(pace);
  const creations = createTableSteps(pair);
  const steps = inOrder(pair, renames, creations, members);
  yield* stage(pace);
  yield* simulation.take(steps.slice(renames.length), pace);
  rejections.push(...simulation.rejections);
  const addedKeys = members.flatMap((member) => member.addedKeys);
  return { pair, steps, renamed, addedKeys, rejections };
}

/** Yields between two stages of the comparison if the policy requests a pause. */
function* stage(pace: YieldPolicy): Steps<void> {
  const wait = pace.pause(Number.POSITIVE_INFINITY);
  if (wait !== undefined) yield wait;
}

interface MemberDifference {
  readonly table: Table;
  readonly deletedIndexes: readonly Index[];
  readonly builtIndexes: readonly Index[];
  readonly deletedKeys: readonly ForeignKey[];
  readonly createdKeys: readonly ForeignKey[];
  readonly validatedKeys: readonly ForeignKey[];
  readonly addedKeys: readonly AddedKey[];
  readonly desired: Catalog;
  readonly rejections: readonly string[];
}

function memberDifference(
  tables: TablePair,
  renamed: Catalog,
  desired: Catalog,
  isLarge: (tableId: number) => boolean,
): MemberDifference {
  const { after: table } = tables;
  const now = tableById(renamed, table.id) as Table;
  const indexes = indexDifference(tables, now);
  const keys = foreignKeyDifference(now, table);
  const rewritten = tables.columns.filter((column) => fateOf(column) === 'rewritten');
  const waits = (key: ForeignKey) =>
    isLarge(table.id) ||
    rewritten.some(({ after }) => key.columns.includes(after.id)) ||
    pendingForeignKeys(now.transitions).some(({ name }) => name === key.name);
  return {
    table,
    deletedIndexes: indexes.deleted,
    builtIndexes: indexes.built,
    deletedKeys: keys.deleted,
    createdKeys: keys.created.filter((key) => !waits(key)),
    validatedKeys: keys.created.filter(waits),
    addedKeys: keys.created.map((foreignKey) => ({ table, foreignKey })),
    desired,
    rejections: indexes.rejections,
  };
}

function inOrder(
  pair: SchemaPair,
  renames: readonly Step[],
  creations: readonly Step[],
  members: readonly MemberDifference[],
): readonly Step[] {
  const each = (steps: (member: MemberDifference) => readonly Step[]) =>
    bySummary(members.flatMap(steps));
  const replacements = bySummary(replacementSteps(pair));
  const notNull = bySummary(notNullSteps(pair));
  const starts = [...replacements, ...notNull];
  return [
    ...renames,
    ...creations,
    ...createColumnSteps(pair),
    ...bySummary(defaultSteps(pair)),
    ...each(({ table, deletedIndexes }) => deleteIndexSteps(table, deletedIndexes)),
    ...each(({ table, deletedKeys }) => deleteForeignKeySteps(table, deletedKeys)),
    ...replacements,
    ...each(({ table, createdKeys, desired }) =>
      createForeignKeySteps(desired, table, createdKeys),
    ),
    ...notNull,
    ...each(({ table, validatedKeys, desired }) =>
      validateForeignKeySteps(desired, table, validatedKeys, starts),
    ),
    ...each(({ table, builtIndexes }) => buildIndexSteps(table, builtIndexes, replacements)),
    ...bySummary(deleteColumnSteps(pair)),
    ...deleteTableSteps(pair),
  ];
}
