/** Whole scenarios: a schema, rows to start with, and programs of one to three statements. */

import type { CatalogChange } from '#catalog';
import type { CatalogStatement, MutationStatement, Program, RelationalStatement } from '#pir';
import { catalogStep } from './catalog.ts';
import { Choices } from './choices.ts';
import { changeOf, createFrom } from './mutation.ts';
import { pointOf } from './point.ts';
import { type NamedColumns, queryOf } from './query.ts';
import { sabotage } from './sabotage.ts';
import { generateSchema, type Schema, shapeColumns, type TableShape } from './schema.ts';
import { Draft, type GeneratedColumn } from './scope.ts';
import { anyRows, seedPrograms } from './seed-rows.ts';

/** What a scenario is made from: smaller numbers and fewer programs make a simpler one. */
export interface ScenarioNumbers {
  readonly schema: readonly number[];
  readonly rows: readonly number[];
  readonly programs: readonly (readonly number[])[];
}

export interface Scenario {
  readonly changes: readonly CatalogChange[];
  /** Fill the tables. */
  readonly seeds: readonly Program[];
  readonly programs: readonly Program[];
}

export function generateScenario(numbers: ScenarioNumbers): Scenario {
  return scenarioOf(generateSchema(new Choices(numbers.schema)), numbers);
}

export function scenarioOf(
  given: Schema,
  numbers: Pick<ScenarioNumbers, 'rows' | 'programs'>,
): Scenario {
  let schema = given;
  const { changes } = schema;
  const seeds = seedPrograms(new Choices(numbers.rows), schema);
  const programs = numbers.programs.map((list, i) => {
    const made = programOf(new Choices(list), schema, i);
    schema = made.schema;
    return made.program;
  });
  return { changes, seeds, programs };
}

type AnyStatement = RelationalStatement | MutationStatement | CatalogStatement;

function programOf(choices: Choices, before: Schema, unique: number) {
  const named = new Map<string, readonly GeneratedColumn[]>();
  let schema = before;
  const statements = choices.many(1, choices.oneIn(2) ? 3 : 1, (i): AnyStatement => {
    const name = `q${i}`;
    if (choices.oneIn(25)) {
      const step = catalogStep(choices, schema, unique * 10 + i);
      schema = step.schema;
      return { ...step.change, name };
    }
    const { statement, columns } = statementOf(choices, schema, named, name);
    named.set(name, columns);
    if (!choices.oneIn(14)) return statement;
    return { ...statement, relation: sabotage(statement.relation, choices) };
  });
  const program = choices.oneIn(100)
    ? misnamed(choices, statements)
    : selected(choices, statements);
  return { program, schema };
}

/** With the result of one of its relational statements, if it has any. */
function selected(choices: Choices, statements: readonly AnyStatement[]): Program {
  const relational = statements.filter((statement) => 'relation' in statement);
  if (relational.length === 0) return { statements };
  return { statements, result: choices.pick(relational.toReversed()).name };
}

function misnamed(choices: Choices, statements: readonly AnyStatement[]): Program {
  switch (choices.below(3)) {
    case 0:
      return { statements };
    case 1:
      return { statements, result: 'nobody' };
    default:
      return { statements: statements.map((statement) => ({ ...statement, name: 'q0' })) };
  }
}

function statementOf(choices: Choices, schema: Schema, named: NamedColumns, name: string) {
  const kind = choices.below(16);
  // Most deletes are of rows that others may point at.
  const parents = schema.tables.filter(isReferenced);
  const table = choices.pick(
    (kind === 10 || kind === 11) && parents.length > 0 ? parents : schema.tables,
  );
  const draft = () => new Draft(choices, schema, named);
  const columns = shapeColumns(table);
  switch (kind) {
    case 6:
      return { statement: inOrder(choices, anyRows(choices, name, table)), columns };
    case 7:
      return { statement: inOrder(choices, createFrom(draft(), name, table)), columns };
    case 8:
    case 9:
      return { statement: changeOf(draft(), 'update', name, table), columns };
    case 10:
    case 11:
      return { statement: changeOf(draft(), 'delete', name, table), columns };
    case 12:
    case 13:
      return pointOf(draft(), 'query', name, table);
    case 14:
      return pointOf(draft(), 'update', name, table);
    case 15:
      return pointOf(draft(), 'delete', name, table);
    default: {
      const { query, columns: made } = queryOf(choices, schema, named);
      return { statement: { kind: 'query', name, relation: query } as const, columns: made };
    }
  }
}

/** Half of the new rows are numbered in the order of the relation, a few of these in any order. */
function inOrder(choices: Choices, statement: MutationStatement): MutationStatement {
  if (choices.oneIn(2)) return statement;
  const { relation } = statement;
  const root = choices.oneIn(12) ? { ...relation.root, unordered: true } : relation.root;
  return { ...statement, relation: { ...relation, root }, ordered: true };
}

function isReferenced(table: TableShape, _: number, tables: readonly TableShape[]): boolean {
  return tables.some(({ foreignKeys }) => foreignKeys.some((key) => key.ref_table === table.name));
}
