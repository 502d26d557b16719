/**
 * Twins: two databases that differ only in rows that a user cannot see. The user sends the same programs to both, and receives the same answers to
 * the last byte: results, problems with all of their members, numbers of rows. Then all other rows are the same, and the hidden ones are as before.
 *
 * The hidden rows have keys, unique values and references of their own, because a constraint sees all rows: that is a known channel.
 */

import type { ColumnDefinition, Policies } from '#catalog';
import type { Engine } from '#engine';
import { DatabaseError, toProblem } from '#failure';
import type { Program } from '#pir';
import { encodeResult } from '#value';
import { checkProgram } from '#wire';
import { Choices } from '../generative/choices.ts';
import { isOpen } from '../generative/compare.ts';
import { type ScenarioNumbers, scenarioOf } from '../generative/program.ts';
import { generateSchema, type Schema, schemaOf, type TableShape } from '../generative/schema.ts';
import { createRows } from '../generative/seed-rows.ts';
import { cellOf } from '../generative/values.ts';
import { answerOnWay, dumpOf, OracleWay, openWayEngine } from '../generative/ways.ts';
import { type Outcome, runProgram } from '../oracle/index.ts';
import { claim, column, equal, setPolicies, user } from './support.ts';

export interface TwinNumbers extends ScenarioNumbers {
  readonly hidden: readonly number[];
}

const tenant = 'tenant';
/** The tenant of the rows that one twin has in addition. */
const hiddenTenant = -77;
const own = user('user', { tenant: 1 });

/** Adds a column with the tenant of each row, and removes numbers that the server counts: hidden rows count, too. */
function withTenants(schema: Schema): Schema {
  return schemaOf(
    schema.tables.map((table) => {
      const columns = table.columns.map(({ default: given, ...rest }) =>
        given?.kind === 'generator' || given === undefined ? rest : { ...rest, default: given },
      );
      const id = columns.length + 1;
      const literal = { kind: 'literal', value: 1 } as const;
      return {
        ...table,
        columns: [...columns, { id, name: tenant, type: 'int64', default: literal }],
      };
    }),
  );
}

function policiesOf({ tables }: Schema): Policies {
  return {
    claims: [{ name: tenant, type: 'int64' }],
    tables: tables.map((table) => {
      const where = equal(column('row', table.columns.length), claim(tenant));
      const rule = { where };
      return { table: table.id, read: rule, create: rule, update: rule, delete: rule };
    }),
  };
}

type Cells = Record<string, string | null>;

/** Programs that create the hidden rows. */
function hiddenRows(choices: Choices, schema: Schema): readonly Program[] {
  const made = new Map<string, readonly Cells[]>();
  return schema.tables.flatMap((table) => {
    const count = 3 + choices.below(6);
    const rows = Array.from({ length: count }, (_, i) => hiddenRow(choices, table, i, made));
    const kept = rows.filter((row) => row !== undefined);
    made.set(table.name, kept);
    return kept.length === 0
      ? []
      : [{ statements: [createRows('hidden', table.name, table.columns, kept)] }];
  });
}

function hiddenRow(
  choices: Choices,
  table: TableShape,
  number: number,
  made: ReadonlyMap<string, readonly Cells[]>,
): Cells | undefined {
  const unique = new Set(
    [
      table.primaryKey,
      ...table.indexes.filter((one) => one.unique).map((one) => one.columns),
    ].flat(),
  );
  const isTruth = (name: string) => table.columns.find((one) => one.name === name)?.type === 'bool';
  // Truth values of other rows would be equal.
  if (table.primaryKey.every(isTruth)) return undefined;
  const row: Cells = {};
  for (const of of table.columns) {
    const { name, type, nullable = false, format } = of;
    const shape = { type, nullable, ...(format !== undefined && { format }) };
    row[name] = unique.has(name) ? apart(of, number) : cellOf(choices, shape);
  }
  for (const key of table.foreignKeys) {
    const parents = key.ref_table === table.name ? [] : (made.get(key.ref_table) ?? []);
    const parent = parents.length === 0 ? undefined : choices.pick(parents);
    key.columns.forEach((name, i) => {
      row[name] = parent?.[key.ref_columns[i] as string] ?? null;
    });
  }
  row[tenant] = String(hiddenTenant);
  const lacks = table.columns.some(({ name, nullable }) => row[name] === null && nullable !== true);
  return lacks ? undefined : row;
}

/** A value that no program and no other hidden row has. A truth value cannot be one. */
function apart({ type, nullable }: ColumnDefinition, number: number): string | null {
  switch (type) {
    case 'int64':
      return String(1_000_000 + number);
    case 'float64':
      return String(1_000_000.5 + number);
    case 'text':
      return `hidden ${number}`;
    case 'bytes':
      return Buffer.alloc(16, 100 + number).toString('base64');
    case 'bool':
      return nullable === true ? null : 'true';
  }
}

/** Everything that the user learns from a program. */
async function learned(engine: Engine, program: Program, isOrdered: boolean): Promise<string> {
  const context = engine.requestContext({ principal: own });
  try {
    const { result, statements } = await engine.execute(
      { program: () => checkProgram(program) },
      context,
    );
    const affected = statements.map((statement) => statement.affected).join();
    if (result === undefined) return `${affected} null`;
    const { columns, rows, cardinality } = result;
    const texts = rows.map((row) => encodeResult(columns, [row], 'first'));
    return `${affected} ${cardinality} ${(isOrdered ? texts : texts.sort()).join()}`;
  } catch (error) {
    if (error instanceof DatabaseError) return JSON.stringify(toProblem(error.failure));
    throw error;
  } finally {
    context.close();
  }
}

async function rowsOf(engine: Engine, table: TableShape, isHidden: boolean): Promise<string> {
  const query = dumpOf(table.name, table.primaryKey[0] as string);
  const program = { statements: [query] };
  const { result } = await engine.execute({ program: () => checkProgram(program) });
  const { columns = [], rows = [] } = result ?? {};
  const at = columns.findIndex(({ name }) => name === tenant);
  const kept = rows.filter((row) => (row[at] === hiddenTenant) === isHidden);
  return kept
    .map((row) => encodeResult(columns, [row], 'first'))
    .sort()
    .join();
}

async function openTwin(
  name: string,
  schema: Schema,
  programs: readonly Program[],
): Promise<Engine> {
  const engine = await openWayEngine(name, 'direct', schema.changes);
  // A program that fails creates nothing, on either twin.
  for (const program of programs) await answerOnWay(engine, name, program);
  return engine;
}

function expectedOf({ database }: OracleWay, program: Program, { tables }: Schema): Outcome {
  const left = { kind: 'col', scope: 'row', column: tenant } as const;
  const where = { kind: 'binary', op: 'eq', left, right: { kind: 'claim', name: tenant } } as const;
  const rule = { where };
  database.user = {
    policies: {
      claims: [{ name: tenant, type: 'int64' }],
      tables: tables.map(({ name }) => ({
        ...{ table: name, read: rule, create: rule, update: rule, delete: rule },
      })),
    },
    claims: new Map([[tenant, 1n]]),
  };
  const outcome = runProgram(database, program);
  database.user = undefined;
  return outcome;
}

/** The additional rows of each twin. */
function hiddenOf(twins: readonly Engine[], schema: Schema): Promise<readonly string[]> {
  return Promise.all(twins.map((engine) => textOf(engine, schema, true)));
}

async function textOf(engine: Engine, { tables }: Schema, isHidden: boolean): Promise<string> {
  const texts = [];
  for (const table of tables) texts.push(await rowsOf(engine, table, isHidden));
  return texts.join('\n');
}

/** Returns how the other rows of the twins differ, or how the hidden rows of one of them have changed. */
async function stateTrouble(
  twins: readonly Engine[],
  schema: Schema,
  hidden: readonly string[],
): Promise<string | undefined> {
  const visible = await Promise.all(twins.map((engine) => textOf(engine, schema, false)));
  if (new Set(visible).size > 1) return `rows differ:\n${visible.join('\n\n')}`;
  const now = await hiddenOf(twins, schema);
  const changed = now.findIndex((text, i) => text !== hidden[i]);
  return changed < 0 ? undefined : `hidden rows changed:\n${hidden[changed]}\n${now[changed]}`;
}

/** Counts the programs that were compared. */
export interface TwinCoverage {
  programs: number;
  refused: number;
}

/** Returns how the twins differ; undefined if they do not. */
export async function compareTwins(
  numbers: TwinNumbers,
  coverage: TwinCoverage,
): Promise<string | undefined> {
  const schema = withTenants(generateSchema(new Choices(numbers.schema)));
  const { changes, seeds, programs } = scenarioOf(schema, numbers);
  const policies = policiesOf(schema);
  const oracle = new OracleWay('direct', changes);
  const twins = await Promise.all(
    ['engine', 'columns'].flatMap((name) => [
      openTwin(name, schema, seeds),
      openTwin(name, schema, [...seeds, ...hiddenRows(new Choices(numbers.hidden), schema)]),
    ]),
  );
  try {
    for (const seed of seeds) oracle.run(seed);
    for (const engine of twins) await setPolicies(engine, policies);
    const hidden = await hiddenOf(twins, schema);
    for (const program of programs) {
      if (!program.statements.every((statement) => 'relation' in statement)) continue;
      const expected = expectedOf(oracle, program, schema);
      if (isOpen(expected)) return undefined;
      const isOrdered = expected.kind === 'done' && expected.isOrdered;
      const answers = [];
      for (const engine of twins) answers.push(await learned(engine, program, isOrdered));
      coverage.programs++;
      if (expected.kind === 'refused') coverage.refused++;
      if (new Set(answers).size > 1) return `${JSON.stringify(program)}\n${answers.join('\n')}`;
      const state = await stateTrouble(twins, schema, hidden);
      if (state !== undefined) return `${JSON.stringify(program)}\n${state}`;
    }
    return undefined;
  } finally {
    for (const engine of twins) await engine.close();
  }
}
