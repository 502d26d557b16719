/** Plans tables: the chosen path, the columns that are read, and a filter for the conjuncts that the path does not answer. */

import type { Column } from '#catalog';
import { type AccessChoice, chooseAccess, partKept, partRead } from '../access/choose.ts';
import { isUseful, type Path } from '../access/path.ts';
import type { BoundExpression, BoundScan } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { literalOf } from '../bind/literal.ts';
import type { Sarg } from '../facts/sarg.ts';
import { pointKeyOf } from '../plan/access-facts.ts';
import type { Access, KeyBound, KeyInterval, ScanPlan } from '../plan/relation.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import { lowerExpression, type RowSource } from './expression.ts';
import { withFilter } from './filter-plan.ts';
import type { Planning } from './planning.ts';
import type { Lowered, Requirements } from './required-columns.ts';

export function lowerScan(planning: Planning, scan: BoundScan, required: Requirements): Lowered {
  return scanBy(planning, scan, accessFor(planning, scan, [], required), required);
}

/** Chooses the access path of a scan. `conjuncts` must not raise errors or contain crossings. */
export function accessFor(
  planning: Planning,
  scan: BoundScan,
  conjuncts: readonly BoundExpression[],
  { needed, order, isTop, goal, frame }: Requirements,
): AccessChoice {
  return chooseAccess(scan, {
    conjuncts,
    needed,
    order,
    isTop,
    goal,
    isScanOnly: planning.options.accessPaths === 'scan_only',
    hasIndexOnly: planning.uses('index_only'),
    hasKeyLists: planning.uses('key_lists'),
    counts: planning.counts,
    corrected: (part, rows) => planning.corrected(part, rows),
    isPart: !planning.isRepeated(frame),
  });
}

export function scanBy(
  planning: Planning,
  scan: BoundScan,
  choice: AccessChoice,
  { needed, frame }: Requirements,
): Lowered {
  const read = new Set(needed);
  for (const conjunct of choice.remaining) addColumnsReadBy(conjunct, read);
  const kept = scan.columns.flatMap((column, i) => (read.has(column.id) ? [i] : []));
  const columns = kept.map((i) => scan.columns[i] as BoundScan['columns'][number]);
  const access = accessOf(planning, choice.path, frame);
  const name = partRead(scan, choice.path, choice.remaining.length);
  const part = isUseful(choice.path) ? planning.partIn(frame, name) : undefined;
  const point = pointKeyOf(scan.table, access);
  const plan: ScanPlan = {
    kind: 'scan',
    id: planning.nextId(),
    table: scan.table,
    columns: kept.map((i) => scan.table.columns[i] as Column),
    access,
    ...(point !== undefined && { point }),
    reverse: choice.reverse,
    ...(choice.isCovered && { isCovered: true }),
    ...(!planning.uses('zones') && { readsAll: true }),
    why: choice.why,
    output: outputOf(columns),
    estimatedRows: Math.ceil(choice.path.rows),
    estimatedFrom: choice.path.origin,
    ...(part !== undefined && { part }),
  };
  if (choice.fetches !== undefined) planning.fetches.set(plan.id, choice.fetches);
  const columnIndexes = new Map(columns.map(({ id }, columnIndex) => [id, columnIndex]));
  const { ordering, cost, rows, origin } = choice;
  const lowered = { plan, columnIndexes, ordering, cost };
  const estimate = planning.estimate(planning.partIn(frame, partKept(scan)), { rows, origin });
  return withFilter(planning, lowered, { conjuncts: choice.remaining, frame, estimate });
}

function accessOf(planning: Planning, path: Path, frame: CorrelationFrame | undefined): Access {
  const interval = intervalOf(planning, path, frame);
  if (path.kind === 'table') return { kind: 'table' };
  if (path.index === undefined) return { kind: 'primary', interval };
  return { kind: 'index', index: path.index, interval };
}

function intervalOf(
  planning: Planning,
  { prefix, among, lower, upper }: Path,
  frame: CorrelationFrame | undefined,
): KeyInterval {
  const row: RowSource = { columnIndexes: new Map(), crossings: new Map(), frame };
  const lowered = ({ value }: Sarg) => lowerExpression(planning, row, value ?? noValue);
  const bound = (sarg: Sarg | undefined): KeyBound | undefined =>
    sarg && { value: lowered(sarg), inclusive: sarg.op === 'gte' || sarg.op === 'lte' };
  return {
    prefix: prefix.map((sarg) => ({ value: lowered(sarg), isNull: sarg.op === 'is_null' })),
    ...(among?.values !== undefined && {
      among: among.values.map((value) => lowerExpression(planning, row, value)),
    }),
    lower: bound(lower),
    upper: bound(upper),
  };
}

const noValue = literalOf('bool', null);
