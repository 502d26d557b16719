/**
 * Two databases that differ only in rows that policies hide from a user. The user must not be able to tell them apart: status and body of each
 * response are equal. A key that a hidden row has already is a known exception, and ends a scenario.
 */

import type { Claims } from '#access';
import type { CatalogChange, NamedPolicies, Policies, PolicyRuleOf } from '#catalog';
import { fail } from '#failure';
import type { Program } from '#pir';
import { Choices } from '../generative/choices.ts';
import { isOpen } from '../generative/compare.ts';
import { generateScenario, type ScenarioNumbers } from '../generative/program.ts';
import { generateSchema, type Schema } from '../generative/schema.ts';
import { seedPrograms } from '../generative/seed-rows.ts';
import { OracleWay } from '../generative/ways.ts';
import { openMemoryEngine } from '../http/support.ts';
import {
  copyDatabase,
  type Database,
  type Outcome,
  runProgram,
  type UserPolicies,
} from '../oracle/index.ts';
import { databaseOver, type Reply, type TestDatabase } from '../support/database.ts';
import { keyPrincipal } from '../support/principals.ts';
import { userOf } from './compare.ts';
import { generateClaims, generatePolicies, storedPolicies } from './generate.ts';
import { setPolicies, user } from './support.ts';

export interface TwinNumbers extends ScenarioNumbers {
  readonly policies: readonly number[];
  readonly hidden: readonly number[];
  readonly users: readonly number[];
}

/** Counts what was compared. */
export interface TwinCoverage {
  programs: number;
  /** Programs that the user may run. */
  done: number;
  /** Rows that only one of the databases contains. */
  hidden: number;
}

/** Returns a report of the first program by which the user can tell the databases apart. */
export async function compareTwins(
  numbers: TwinNumbers,
  coverage: TwinCoverage,
): Promise<string | undefined> {
  const schema = generateSchema(new Choices(numbers.schema));
  const { changes, seeds, programs } = generateScenario(numbers);
  // The numbers of hidden rows are a known exception, too.
  if (JSON.stringify(changes).includes('"increment"')) return undefined;
  const policies = withoutHiddenReads(generatePolicies(new Choices(numbers.policies), schema));
  const claims = generateClaims(new Choices(numbers.users));
  const other = generateClaims(new Choices(numbers.users.toReversed()));
  const policed = userOf(policies, claims);
  const oracle = new OracleWay('direct', changes);
  const stored = storedPolicies(policies, schema);
  await using more = await openTwin(changes, seeds, stored, { claims, other });
  await using less = await openTwin(changes, seeds, stored, { claims, other });
  for (const seed of seeds) oracle.run(seed);
  let hidden = 0;
  for (const program of hiddenRows(numbers.hidden, schema, oracle, policed)) {
    if ((await run(more, 'owner', program)).status === 200) hidden++;
  }
  if (hidden === 0) return undefined;
  coverage.hidden += hidden;
  for (const program of programs) {
    if (!program.statements.every((statement) => 'relation' in statement)) continue;
    const expected = outcomeFor(oracle, program, policed);
    if (isOpen(expected)) return undefined;
    const found = await differenceOf(more, less, program, expected, coverage);
    if (found === 'known') return undefined;
    if (found === undefined) continue;
    return [policies, claims, program].map((it) => JSON.stringify(it)).join('\n\n') + found;
  }
  return undefined;
}

function outcomeFor({ database }: OracleWay, program: Program, policed: UserPolicies): Outcome {
  database.user = policed;
  const outcome = runProgram(database, program);
  database.user = undefined;
  return outcome;
}

/** Queries are run as a query, too, several times, and in one database first by a user with other claims: plans and results are kept. */
async function differenceOf(
  more: TestDatabase,
  less: TestDatabase,
  program: Program,
  expected: Outcome,
  coverage: TwinCoverage,
): Promise<string | 'known' | undefined> {
  const isRead = program.statements.every(({ kind }) => kind === 'query');
  if (isRead) for (let i = 0; i < 2; i++) await run(more, 'other', program);
  const [one, two] = [await run(more, 'user', program), await run(less, 'user', program)];
  if (isKeyViolation(one) || isKeyViolation(two)) return 'known';
  coverage.programs++;
  if (one.status === 200) coverage.done++;
  const isExact = expected.kind !== 'done' || expected.isOrdered;
  const text = isExact ? exactText : bagText;
  if (text(one) !== text(two)) return `\n\n${one.text}\n\n${two.text}`;
  const [first] = program.statements;
  if (program.statements.length > 1 || first?.kind !== 'query') return undefined;
  for (let i = 0; i < 2; i++) await query(more, 'other', first.relation);
  for (let turn = 0; turn < 3; turn++) {
    const a = await query(more, 'user', first.relation);
    const b = await query(less, 'user', first.relation);
    if (text(a) !== text(b)) return `\n\nturn ${turn}\n\n${a.text}\n\n${b.text}`;
  }
  return undefined;
}

function exactText({ status, text }: Reply): string {
  return `${status} ${text}`;
}

/** The characters in any order: that of unordered rows depends on the plan. */
function bagText({ status, text }: Reply): string {
  return `${status} ${[...text].sort().join('')}`;
}

function isKeyViolation({ json }: Reply): boolean {
  return (json as { readonly reason?: string } | null)?.reason === 'constraint_violation';
}

function run(db: TestDatabase, name: string, program: Program): Promise<Reply> {
  return db.send('POST', '/execute', program, { authorization: `Bearer ${name}` });
}

function query(db: TestDatabase, name: string, relation: object): Promise<Reply> {
  return db.send('QUERY', '/execute', relation, { authorization: `Bearer ${name}` });
}

async function openTwin(
  changes: readonly CatalogChange[],
  seeds: readonly Program[],
  stored: Policies,
  { claims, other }: { readonly claims: Claims; readonly other: Claims },
): Promise<TestDatabase> {
  const engine = await openMemoryEngine('direct');
  for (const change of changes) await engine.changeCatalog(() => change);
  const principals = new Map([
    ['Bearer owner', keyPrincipal('owner', { kind: 'token' })],
    ['Bearer user', user('user', claims)],
    ['Bearer other', user('other', other)],
  ]);
  const authenticate = ({ authorization }: { readonly authorization: string | null }) => {
    const found = principals.get(authorization ?? '');
    if (found === undefined) throw fail('missing_token', 'the request has no access token');
    return found;
  };
  const database = databaseOver(engine, undefined, { authenticator: { authenticate } });
  for (const seed of seeds) await run(database, 'owner', seed);
  await setPolicies(engine, stored);
  return database;
}

/** Conditions that read other rows read only tables without hidden rows. */
function withoutHiddenReads(policies: NamedPolicies): NamedPolicies {
  const open = new Set(
    policies.tables.filter(({ read }) => read === 'all').map(({ table }) => table),
  );
  const isKept = (rule: PolicyRuleOf<string>) =>
    typeof rule === 'string' ||
    Object.values(rule.nodes ?? {}).every((node) => node.kind !== 'scan' || open.has(node.table));
  const tables = policies.tables.map(({ table, ...rules }) => {
    const kept = Object.entries(rules).filter(([, rule]) => isKept(rule));
    return { table, ...Object.fromEntries(kept) };
  });
  return { ...policies, tables };
}

/** Programs that create one row each, which the user does not see. */
function* hiddenRows(
  numbers: readonly number[],
  schema: Schema,
  { database }: OracleWay,
  policed: UserPolicies,
): Iterable<Program> {
  for (const { statements } of seedPrograms(new Choices(numbers), schema)) {
    const [statement] = statements;
    const node = statement?.kind === 'create' ? statement.relation.nodes.r : undefined;
    if (statement?.kind !== 'create' || node?.kind !== 'rows') continue;
    for (const row of node.rows as Iterable<readonly (string | null)[]>) {
      const relation = { ...statement.relation, nodes: { r: { ...node, rows: [row] } } };
      const program: Program = { statements: [{ ...statement, relation }] };
      if (isHidden(program, statement.table, database, policed)) yield program;
    }
  }
}

/** Asks the oracle whether a user could create the row if the policy of new rows were that of reading. */
function isHidden(
  program: Program,
  name: string,
  database: Database,
  { policies, claims }: UserPolicies,
): boolean {
  if (!policies.tables.some(({ table }) => table === name)) return true;
  const tables = policies.tables.map(({ create: _, ...rest }) =>
    rest.table === name && rest.read !== undefined ? { ...rest, create: rest.read } : rest,
  );
  const copy = copyDatabase(database);
  copy.user = { policies: { ...policies, tables }, claims };
  const outcome = runProgram(copy, program);
  return (
    outcome.kind === 'refused' && outcome.errors.some(({ reason }) => reason === 'policy_violation')
  );
}
