/** Mutations computed from what is there: new rows, new values, and rows to remove. */

import type { ColumnDefinition } from '#catalog';
import type { Expression, Field, Query } from '#lir';
import type { MutationStatement } from '#pir';
import { type ExpressionPlace, expressionOf, solidOf } from './expression.ts';
import { prune } from './prune.ts';
import { filterOf, over, relationOf, totalOrderOf } from './relation.ts';
import { canBeAbsent, pathsOf, shapeColumns, type TableShape } from './schema.ts';
import { columnsOf, type Draft, type Generated, use } from './scope.ts';

/** Rows computed from what is there; often children of rows of the table that a foreign key points at. */
export function createFrom(draft: Draft, name: string, table: TableShape): MutationStatement {
  const { choices } = draft;
  const place = { draft, outer: [], depth: 2 };
  const [link] = table.foreignKeys;
  const parent = draft.schema.tables.find((other) => other.name === link?.ref_table);
  const isChild = parent !== undefined && !choices.oneIn(4);
  const source = isChild ? scanOf(draft, parent) : relationOf({ ...place, depth: 1 });
  const few = limited(draft, totalOrderOf(place, filterOf(place, source)));
  const at = over(place, few);
  const fields = table.columns
    .filter((column) => !canBeAbsent(column) || !choices.oneIn(3))
    .map((column): Field => {
      const from = isChild ? (link?.columns.indexOf(column.name) ?? -1) : -1;
      const column0 = link?.ref_columns[from];
      const scope = source.scopes[0]?.label;
      if (column0 !== undefined && scope !== undefined)
        return { as: column.name, expr: { kind: 'col', scope, column: column0 } };
      const isKey = table.primaryKey.includes(column.name);
      return { as: column.name, expr: isKey ? freshOf(at, column) : assignedOf(at, column) };
    });
  const [first] = table.columns as [ColumnDefinition];
  const some = fields.length > 0 ? fields : [{ as: first.name, expr: assignedOf(at, first) }];
  return mutation(draft, { kind: 'create', name, table }, few, some);
}

function limited(draft: Draft, input: Generated): Generated {
  const limit = 1 + draft.choices.below(3);
  return { ...input, id: draft.add({ kind: 'slice', input: input.id, limit }) };
}

/** A key that is probably new. */
function freshOf(at: ExpressionPlace, column: ColumnDefinition): Expression {
  const { choices } = at.draft;
  const { type } = column;
  const own = columnsOf(at.scopes, type).filter((candidate) => !candidate.nullable);
  if ((type !== 'int64' && type !== 'float64') || own.length === 0) return solidOf(at, type);
  const value = choices.pick(['10', '20', '50']);
  const right = { kind: 'lit', value: { type, value } } as const;
  return { kind: 'binary', op: 'add', left: use(choices.pick(own)), right };
}

export function assignedOf(at: ExpressionPlace, column: ColumnDefinition): Expression {
  const { type, nullable, format } = column;
  if (format !== undefined || nullable !== true) return solidOf(at, type, format);
  return expressionOf(at, type);
}

function scanOf(draft: Draft, table: TableShape): Generated {
  const node = (scope: string) => ({ kind: 'scan', table: table.name, scope }) as const;
  return draft.leaf(node, shapeColumns(table), pathsOf(table));
}

/** Keys of rows of the table, and new values for an update. */
export function changeOf(
  draft: Draft,
  kind: 'update' | 'delete',
  name: string,
  table: TableShape,
): MutationStatement {
  const { choices } = draft;
  const place = { draft, outer: [], depth: 1 };
  const scan = scanOf(draft, table);
  const scope = scan.scopes[0]?.label as string;
  const input = choices.oneIn(4) ? scan : filterOf(place, scan);
  const at = over(place, input);
  const keys = table.primaryKey.map((column): Field => {
    const { type } = table.columns.find(
      (candidate) => candidate.name === column,
    ) as ColumnDefinition;
    // Another expression may miss the rows that are there, or meet one twice.
    const expr = choices.oneIn(30) ? solidOf(at, type) : use({ kind: 'col', scope, column });
    return { as: column, expr };
  });
  const others = table.columns.filter((column) => !table.primaryKey.includes(column.name));
  const assigned = new Set(choices.many(1, 2, () => choices.pick(others)));
  const fields = [...assigned].map((column): Field => {
    const isLink = table.foreignKeys.some((key) => key.columns.includes(column.name));
    return { as: column.name, expr: isLink ? linkOf(at, column, scope) : assignedOf(at, column) };
  });
  const all = kind === 'delete' ? keys : [...keys, ...fields];
  return mutation(draft, { kind, name, table }, input, all);
}

/** NULL, what is there, or a value that may be a key. */
function linkOf(at: ExpressionPlace, column: ColumnDefinition, scope: string): Expression {
  const { choices } = at.draft;
  const own = { kind: 'col', scope, column: column.name } as const;
  if (column.nullable && choices.oneIn(2)) return { kind: 'lit', value: { type: column.type } };
  return choices.oneIn(2) ? own : solidOf(at, column.type);
}

interface Target {
  readonly kind: MutationStatement['kind'];
  readonly name: string;
  readonly table: TableShape;
}

function mutation(
  draft: Draft,
  { kind, name, table }: Target,
  input: Generated,
  fields: readonly Field[],
): MutationStatement {
  const root = draft.add({ kind: 'project', input: input.id, fields });
  const query: Query = { nodes: draft.nodes, root: { node: root, cardinality: 'many' } };
  return { kind, name, table: table.name, relation: prune(query) };
}
