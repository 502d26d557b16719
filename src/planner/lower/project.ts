/** Plans projections. A field that no consumer reads is omitted unless it can raise an error. A projection that only renames needs no operator. */

import type { Steps } from '#base';
import type { BoundExpression, BoundProject } from '../bind/bound.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { costs } from '../cost/defaults.ts';
import { type OrderKey, renameOrdering } from '../order/ordering.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { attach } from './attach.ts';
import { lowerExpression, type RowSource } from './expression.ts';
import { canBeNull } from './output.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import type { Lowered, Requirements } from './required-columns.ts';

/** A field that remains in the output: its column, and its expression over the input. */
interface KeptField {
  readonly column: BoundProject['columns'][number];
  readonly field: BoundExpression;
}

export function* lowerProject(
  planning: Planning,
  project: BoundProject,
  required: Requirements,
): Steps<Lowered> {
  const { frame } = required;
  const kept = keptFields(planning, project, required);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const needed = new Set<number>();
  for (const { field } of kept) addColumnsReadBy(field, needed);
  const order = orderBelow(project, required.order);
  const input = yield* lowerRelation(planning, project.input, { ...required, needed, order });
  const fields = kept.map(({ field }) => field);
  const { lowered, crossings } = yield* attach(planning, input, fields, frame);
  const ordering = renameOrdering(lowered.ordering, renaming(project));
  const passed = passedOn(kept, { columnIndexes: lowered.columnIndexes, crossings, frame });
  if (passed !== undefined) return { ...lowered, columnIndexes: passed, ordering };
  return yield* compute(planning, { ...lowered, ordering }, kept, { crossings, frame });
}

function keptFields(
  planning: Planning,
  { columns, fields }: BoundProject,
  { needed }: Requirements,
): readonly KeptField[] {
  return columns.flatMap((column, i) => {
    const field = fields[i] as BoundExpression;
    const isKept = needed.has(column.id) || planning.failures.canRaise(field);
    return isKept ? [{ column, field }] : [];
  });
}

/** Returns the column indexes of the fields if each one is a column of the input or a crossing, else `undefined`. */
function passedOn(
  kept: readonly KeptField[],
  { columnIndexes, crossings }: RowSource,
): ReadonlyMap<number, number> | undefined {
  const passed = new Map<number, number>();
  for (const { column, field } of kept) {
    const columnIndex =
      field.kind === 'column'
        ? columnIndexes.get(field.id)
        : field.kind === 'crossing'
          ? crossings.get(field)
          : undefined;
    if (columnIndex === undefined) return undefined;
    passed.set(column.id, columnIndex);
  }
  return passed;
}

function* compute(
  planning: Planning,
  input: Lowered,
  kept: readonly KeptField[],
  { crossings, frame }: Omit<RowSource, 'columnIndexes'>,
): Steps<Lowered> {
  const row = { columnIndexes: input.columnIndexes, crossings, frame };
  const expressions = kept.map(({ field }) => lowerExpression(planning, row, field));
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const below = input.plan.output;
  const { estimatedRows } = input.plan;
  const plan: RelationPlan = {
    kind: 'project',
    id: planning.nextId(),
    input: input.plan,
    expressions,
    output: kept.map(({ column: { name, type } }, i) => {
      const expression = expressions[i] as (typeof expressions)[number];
      return { name, type, nullable: canBeNull(expression, below, planning) };
    }),
    estimatedRows,
  };
  const columnIndexes = new Map(kept.map(({ column }, columnIndex) => [column.id, columnIndex]));
  return {
    plan,
    columnIndexes,
    ordering: input.ordering,
    cost: input.cost + estimatedRows * costs.row,
  };
}

/** Maps a column of the input to the first output column with the same value. */
function renaming({ columns, fields }: BoundProject): (id: number) => number | undefined {
  const renamed = new Map<number, number>();
  fields.forEach((field, i) => {
    if (field.kind === 'column' && !renamed.has(field.id)) {
      renamed.set(field.id, columns[i]?.id as number);
    }
  });
  return (id) => renamed.get(id);
}

function orderBelow(
  { columns, fields }: BoundProject,
  order: readonly OrderKey[] | undefined,
): readonly OrderKey[] | undefined {
  if (order === undefined) return undefined;
  const places = new Map(columns.map(({ id }, i) => [id, i]));
  const below = order.map(({ id, descending }) => {
    const field = fields[places.get(id) ?? -1];
    return field?.kind === 'column' ? { id: field.id, descending } : undefined;
  });
  return below.every((key) => key !== undefined) ? below : undefined;
}
