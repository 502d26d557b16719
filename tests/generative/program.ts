/** Whole scenarios: a schema, seed programs, and programs of one to three statements. */

import type { ColumnDefinition } from '#catalog';
import type { Field, Node, Query } from '#lir';
import type { MutationStatement, Program, RelationalStatement } from '#pir';
import { Choices } from './choices.ts';
import { expressionOf } from './expression.ts';
import { prune } from './prune.ts';
import { type NamedColumns, queryOf } from './query.ts';
import { filterOf, over, relationOf, sourceOf } from './relation.ts';
import { generateSchema, type Schema, type TableShape } from './schema.ts';
import { Draft, type GeneratedColumn } from './scope.ts';
import { cellOf } from './values.ts';

export interface Scenario {
  readonly schema: Schema;
  /** Fill the tables; any of them may be refused. */
  readonly seeds: readonly Program[];
  readonly programs: readonly Program[];
}

export function generateScenario(numbers: readonly number[]): Scenario {
  const choices = new Choices(numbers);
  const schema = generateSchema(choices);
  const seeds = schema.tables.flatMap((table) =>
    choices.many(2, 6, () => oneStatement(createRows(choices, table, choices.oneIn(4) ? 3 : 1))),
  );
  const programs = choices.many(1, 3, () => programOf(choices, schema));
  return { schema, seeds, programs };
}

function oneStatement(statement: MutationStatement | RelationalStatement): Program {
  return { statements: [statement] };
}

function programOf(choices: Choices, schema: Schema): Program {
  const named = new Map<string, readonly GeneratedColumn[]>();
  const statements = choices.many(1, 3, (i) => {
    const { statement, columns } = statementOf(choices, schema, named, `q${i}`);
    named.set(statement.name, columns);
    return statement;
  });
  return { statements, result: choices.pick([...statements].reverse()).name };
}

function statementOf(choices: Choices, schema: Schema, named: NamedColumns, name: string) {
  const table = choices.pick(schema.tables);
  const all = table.columns.map((column) => ({ name: column.name, type: column.type }));
  switch (choices.below(8)) {
    case 5:
      return { statement: { ...createRows(choices, table, 2), name }, columns: all };
    case 6:
    case 7: {
      const kind = choices.pick(['update', 'delete'] as const);
      const relation = targetsOf(new Draft(choices, schema, named), table, kind);
      return { statement: { kind, name, table: table.name, relation }, columns: all };
    }
    case 4: {
      const relation = createFrom(new Draft(choices, schema, named), table);
      return {
        statement: { kind: 'create', name, table: table.name, relation } as const,
        columns: all,
      };
    }
    default: {
      const { query, columns } = queryOf(choices, schema, named);
      return { statement: { kind: 'query', name, relation: query } as const, columns };
    }
  }
}

function createRows(choices: Choices, table: TableShape, most: number): MutationStatement {
  const present = table.columns.filter((column) => !canBeAbsent(column) || !choices.oneIn(3));
  const columns = present.map(({ name, type, nullable }) => ({
    name,
    type,
    nullable: nullable ?? false,
  }));
  const rows = choices.many(0, most, () =>
    columns.map((column) => cellOf(choices, column.type, column.nullable)),
  );
  // A table of absent columns only still needs one column in `rows`.
  const node: Node = { kind: 'rows', scope: 'r', columns, rows };
  const relation: Query = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name: 'c', table: table.name, relation };
}

function canBeAbsent(column: ColumnDefinition): boolean {
  return column.nullable === true || column.default !== undefined;
}

/** Rows computed from what is there. */
function createFrom(draft: Draft, table: TableShape): Query {
  const place = { draft, outer: [], depth: 2 };
  const input = filterOf(place, relationOf(place));
  const fields = table.columns
    .filter((column) => !canBeAbsent(column) || !draft.choices.oneIn(3))
    .map(
      (column): Field => ({ as: column.name, expr: expressionOf(over(place, input), column.type) }),
    );
  const root = draft.add({ kind: 'project', input: input.id, fields });
  return prune({ nodes: draft.nodes, root: { node: root, cardinality: 'many' } });
}

/** Keys of rows of the table, and new values for an update. */
function targetsOf(draft: Draft, table: TableShape, kind: 'update' | 'delete'): Query {
  const { choices } = draft;
  const place = { draft, outer: [], depth: 1 };
  const scope = draft.label();
  const columns = table.columns.map(({ name, type }) => ({ name, type }));
  const scan = {
    id: draft.add({ kind: 'scan', table: table.name, scope }),
    columns,
    scopes: [{ label: scope, columns }],
    isOrdered: false,
  };
  const input = choices.oneIn(10) ? sourceOf(place) : filterOf(place, scan);
  const keys = table.primaryKey.map(
    (name): Field => ({ as: name, expr: { kind: 'col', scope, column: name } }),
  );
  const others = table.columns.filter((column) => !table.primaryKey.includes(column.name));
  const assigned = choices.many(1, 2, () => choices.pick(others));
  const fields = [...new Set(assigned)].map((column): Field => {
    return { as: column.name, expr: expressionOf(over(place, input), column.type) };
  });
  const all = kind === 'delete' ? keys : [...keys, ...fields];
  const root = draft.add({ kind: 'project', input: input.id, fields: all });
  return prune({ nodes: draft.nodes, root: { node: root, cardinality: 'many' } });
}
