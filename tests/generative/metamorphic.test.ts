/** A query and a rewriting of it that means the same must give the same rows: no oracle has a part in it. */

import { expect, test } from 'bun:test';
import type { Query } from '#lir';
import type { Program } from '#pir';
import { isWhole, portionOf } from '../support/portion.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Answer, showAnswer } from './answer.ts';
import { type Rewriting, rewritings } from './metamorphic.ts';
import { generateScenario } from './program.ts';
import { OracleWay, openWay, type Way } from './ways.ts';

const scenarios = portionOf(400);
const comparisonsMin = isWhole ? 20 : 1;

test('rewritten queries give the same rows', async () => {
  const compared = new Map<string, number>();
  for (let seed = 0; seed < scenarios; seed++) await runScenario(seed, compared);
  for (const { name } of rewritings) {
    expect(compared.get(name) ?? 0, name).toBeGreaterThanOrEqual(comparisonsMin);
  }
}, 120_000);

async function runScenario(seed: number, compared: Map<string, number>): Promise<void> {
  const random = seededRandom(seed);
  const list = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 65536));
  const { changes, seeds, programs } = generateScenario({
    schema: list(60),
    rows: list(400),
    programs: Array.from({ length: 5 }, () => list(200)),
  });
  await using way = await openWay('engine', 'direct', changes);
  const oracle = new OracleWay('direct', changes);
  for (const program of seeds) {
    await way.run(program);
    oracle.run(program);
  }
  for (const { statements } of programs) {
    for (const statement of statements) {
      if (statement.kind !== 'query') continue;
      await compare(way, oracle, statement.relation, compared);
    }
  }
}

function programOf(relation: Query): Program {
  return { statements: [{ kind: 'query', name: 'main', relation }] };
}

async function compare(
  way: Way,
  oracle: OracleWay,
  query: Query,
  compared: Map<string, number>,
): Promise<void> {
  // Only what has one answer can be compared, which is all that the oracle is asked for.
  if (!hasOneAnswer(oracle, query)) return;
  const answer = await way.run(programOf(query));
  for (const rewriting of rewritings) {
    for (const changed of rewritten(rewriting, query)) {
      // A rewriting may lose a proof of at most one row, or the key that breaks ties.
      if (!hasOneAnswer(oracle, changed)) continue;
      const other = await way.run(programOf(changed));
      const isSame = isSameAnswer(answer, other);
      const shown = () =>
        `${rewriting.name}: ${showAnswer(answer)}\n${showAnswer(other)}\n${JSON.stringify([query, changed])}`;
      expect(isSame, isSame ? '' : shown()).toBe(true);
      compared.set(rewriting.name, (compared.get(rewriting.name) ?? 0) + 1);
    }
  }
}

function hasOneAnswer(oracle: OracleWay, query: Query): boolean {
  const outcome = oracle.run(programOf(query));
  if (outcome.kind !== 'done' || outcome.isAmbiguous || outcome.anyOf !== undefined) return false;
  return outcome.isOrdered || outcome.rows === undefined || outcome.rows.length <= 1;
}

function* rewritten({ rewrite }: Rewriting, query: Query): Generator<Query> {
  for (const [id, node] of Object.entries(query.nodes)) {
    const changed = rewrite(query, id, node);
    if (changed !== undefined) yield changed;
  }
}

/** Columns may come in another order: members are compared by name. */
function isSameAnswer(a: Answer, b: Answer): boolean {
  if (a.kind !== 'done' || b.kind !== 'done') return false;
  return byName(a.result) === byName(b.result);
}

/** The text with the members of each object in the order of their names, and numbers as they stand. */
function byName(text: string): string {
  const reviver = (_: string, value: unknown, { source }: { readonly source?: string }) => {
    if (typeof value === 'number') return { number: source };
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
  };
  return JSON.stringify(JSON.parse(text, reviver as (name: string, value: unknown) => unknown));
}
