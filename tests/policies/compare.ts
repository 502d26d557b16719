/** Compares programs of users to whom policies apply: engines with different plans, and the oracle, which tests each row by itself. */

import type { Claims } from '#access';
import type { NamedPolicies } from '#catalog';
import type { Engine } from '#engine';
import type { Program } from '#pir';
import { differenceOf, isSameBag, showAnswer } from '../generative/answer.ts';
import { Choices } from '../generative/choices.ts';
import { isOpen } from '../generative/compare.ts';
import { generateScenario, type ScenarioNumbers } from '../generative/program.ts';
import { generateSchema } from '../generative/schema.ts';
import {
  answerOnWay,
  OracleWay,
  openWayEngine,
  plannings,
  rowsOfTable,
} from '../generative/ways.ts';
import { copyDatabase, type Outcome, runProgram, type UserPolicies } from '../oracle/index.ts';
import { Bytes, type Value } from '../oracle/value.ts';
import { generateClaims, generatePolicies, storedPolicies } from './generate.ts';
import { setPolicies, user } from './support.ts';

export interface PolicyNumbers extends ScenarioNumbers {
  readonly policies: readonly number[];
  readonly users: readonly (readonly number[])[];
}

export interface PolicyDifference {
  readonly policies: NamedPolicies;
  readonly claims: Claims;
  readonly program: Program;
  readonly report: string;
}

/** Counts what was compared. */
export interface PolicyCoverage {
  programs: number;
  /** Programs of which the oracle expects a result, and a refusal by a policy. */
  done: number;
  violations: number;
  /** Programs with another outcome than without policies. */
  affected: number;
}

export async function comparePolicies(
  numbers: PolicyNumbers,
  coverage: PolicyCoverage,
): Promise<PolicyDifference | undefined> {
  const schema = generateSchema(new Choices(numbers.schema));
  const { changes, seeds, programs } = generateScenario(numbers);
  const policies = generatePolicies(new Choices(numbers.policies), schema);
  const users = numbers.users.map((list) => generateClaims(new Choices(list)));
  const oracle = new OracleWay('direct', changes);
  const ways = await Promise.all(
    Object.keys(plannings).map(async (name) => ({
      name,
      engine: await openWayEngine(name, 'direct', changes),
    })),
  );
  try {
    for (const seed of seeds) {
      oracle.run(seed);
      for (const { engine, name } of ways) await answerOnWay(engine, name, seed);
    }
    for (const { engine } of ways) await setPolicies(engine, storedPolicies(policies, schema));
    for (const [i, program] of programs.entries()) {
      if (!program.statements.every((statement) => 'relation' in statement)) continue;
      const claims = users[i % users.length] ?? {};
      const expected = expectedOf(oracle, program, userOf(policies, claims), coverage);
      const report =
        (await answerReport(ways, program, expected, claims)) ??
        (isOpen(expected) ? undefined : await stateReport(ways, oracle));
      if (report !== undefined) return { policies, claims, program, report };
      if (isOpen(expected)) return undefined;
    }
    return undefined;
  } finally {
    for (const { engine } of ways) await engine.close();
  }
}

interface PolicedWay {
  readonly name: string;
  readonly engine: Engine;
}

function expectedOf(
  { database }: OracleWay,
  program: Program,
  policed: UserPolicies,
  coverage: PolicyCoverage,
): Outcome {
  const without = showAnswer(runProgram(copyDatabase(database), program));
  database.user = policed;
  const expected = runProgram(database, program);
  database.user = undefined;
  const shown = showAnswer(expected);
  coverage.programs++;
  if (expected.kind === 'done') coverage.done++;
  if (shown.includes('policy_violation')) coverage.violations++;
  if (shown !== without) coverage.affected++;
  return expected;
}

async function answerReport(
  ways: readonly PolicedWay[],
  program: Program,
  expected: Outcome,
  claims: Claims,
): Promise<string | undefined> {
  const lines = [`oracle: ${showAnswer(expected)}`];
  let differs = false;
  for (const { name, engine } of ways) {
    const answer = await answerOnWay(engine, name, program, user('user', claims));
    const difference = differenceOf(expected, answer);
    differs ||= difference !== undefined;
    lines.push(`${name}: ${showAnswer(answer)}${difference ? `  <-- ${difference}` : ''}`);
  }
  return differs ? lines.join('\n') : undefined;
}

async function stateReport(
  ways: readonly PolicedWay[],
  oracle: OracleWay,
): Promise<string | undefined> {
  for (const [table, rows] of oracle.tables()) {
    for (const { name, engine } of ways) {
      const found = await rowsOfTable(engine, table);
      if (isSameBag(found, rows)) continue;
      return `table ${table}\noracle: ${rows.join()}\n${name}: ${found.join()}`;
    }
  }
  return undefined;
}

/** The claims as the oracle has them: it knows nothing of the engine's values. */
export function userOf(policies: NamedPolicies, claims: Claims): UserPolicies {
  const values = policies.claims.map(({ name, type }): [string, Value] => {
    const given = claims[name];
    if (given === undefined) return [name, null];
    if (type === 'int64') return [name, BigInt(given)];
    if (type !== 'uuid') return [name, given];
    return [name, new Bytes(Buffer.from(String(given).replaceAll('-', ''), 'hex'))];
  });
  return { policies, claims: new Map(values) };
}
