/** Statements about one row by its key: the whole primary key, or all of a unique index. */

import type { ColumnDefinition } from '#catalog';
import type { Expression, Field, Literal, Query } from '#lir';
import type { MutationStatement, RelationalStatement } from '#pir';
import { conjunction } from './lookup.ts';
import { assignedOf } from './mutation.ts';
import { prune } from './prune.ts';
import { over } from './relation.ts';
import { shapeColumns, type TableShape } from './schema.ts';
import type { Draft, Generated, GeneratedColumn } from './scope.ts';
import { cellOf, keyText, literalOf, valueText } from './values.ts';

interface Made {
  readonly statement: RelationalStatement | MutationStatement;
  readonly columns: readonly GeneratedColumn[];
}

/** `any`: the table where none has a unique index, and now and then. */
export function pointOf(
  draft: Draft,
  kind: 'query' | 'update' | 'delete',
  name: string,
  any: TableShape,
): Made {
  const indexed = draft.schema.tables.filter(({ indexes }) => indexes.some(({ unique }) => unique));
  const isAny = indexed.length === 0 || draft.choices.oneIn(4);
  const table = isAny ? any : draft.choices.pick(indexed);
  const columns = shapeColumns(table);
  const { choices } = draft;
  if (kind === 'query') {
    const found = rowOf(draft, table);
    const cardinality = choices.pick(['many', 'first', 'exactly_one'] as const);
    const relation: Query = { nodes: draft.nodes, root: { node: found.id, cardinality } };
    return { statement: { kind, name, relation: prune(relation) }, columns };
  }
  const others = table.columns.filter((column) => !table.primaryKey.includes(column.name));
  const assigned = kind === 'delete' ? [] : [choices.pick(others)];
  const root = choices.oneIn(3) ? givenOf(draft, table, assigned) : readOf(draft, table, assigned);
  const relation: Query = { nodes: draft.nodes, root: { node: root, cardinality: 'many' } };
  return { statement: { kind, name, table: table.name, relation: prune(relation) }, columns };
}

function rowOf(draft: Draft, table: TableShape): Generated {
  const { choices } = draft;
  const unique = table.indexes.filter((index) => index.unique).map(({ columns }) => columns);
  const key = choices.pick([table.primaryKey, ...unique, ...unique]);
  const node = (scope: string) => ({ kind: 'scan', table: table.name, scope }) as const;
  const scan = draft.leaf(node, shapeColumns(table), [key]);
  const scope = scan.scopes[0]?.label as string;
  const tests = key.map((column): Expression => {
    const left = { kind: 'col', scope, column } as const;
    return {
      kind: 'binary',
      op: 'eq',
      left,
      right: { kind: 'lit', value: keyOf(draft, table, column) },
    };
  });
  const predicate = conjunction(tests);
  return { ...scan, id: draft.add({ kind: 'filter', input: scan.id, predicate }) };
}

function columnOf(table: TableShape, name: string): ColumnDefinition {
  return table.columns.find((column) => column.name === name) as ColumnDefinition;
}

/** A value that a row is likely to have there; NULL now and then. */
function keyOf({ choices }: Draft, table: TableShape, name: string): Literal {
  const { type, format } = columnOf(table, name);
  if (choices.oneIn(30)) return literalOf(choices, type);
  const text = table.primaryKey.includes(name)
    ? keyText(choices, type)
    : valueText(choices, type, format);
  return type === 'bool' ? { type, value: text === 'true' } : { type, value: text };
}

function readOf(draft: Draft, table: TableShape, assigned: readonly ColumnDefinition[]): string {
  const found = rowOf(draft, table);
  const scope = found.scopes[0]?.label as string;
  const at = over({ draft, outer: [], depth: 1 }, found);
  const keys = table.primaryKey.map(
    (column): Field => ({ as: column, expr: { kind: 'col', scope, column } }),
  );
  const fields = assigned.map(
    (column): Field => ({ as: column.name, expr: assignedOf(at, column) }),
  );
  return draft.add({ kind: 'project', input: found.id, fields: [...keys, ...fields] });
}

function givenOf(draft: Draft, table: TableShape, assigned: readonly ColumnDefinition[]): string {
  const { choices } = draft;
  const keys = table.primaryKey.map((name) => columnOf(table, name));
  const columns = [...keys, ...assigned].map(({ name, type, nullable = false }) => ({
    name,
    type,
    nullable,
  }));
  const cells = [
    ...keys.map(({ type }) => keyText(choices, type)),
    ...assigned.map(({ type, nullable = false, format }) =>
      cellOf(choices, { type, nullable, ...(format !== undefined && { format }) }),
    ),
  ];
  return draft.add({ kind: 'rows', scope: draft.label(), columns, rows: [cells] });
}
