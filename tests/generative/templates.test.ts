/**
 * A template that was made of one program and is used with the values of another gives the answer of the oracle: other literals, cells, parts of
 * patterns, offsets and limits. Over HTTP, by POST and by QUERY in turn.
 */

import { expect, test } from 'bun:test';
import type { Query } from '#lir';
import type { Outcome } from '../oracle/index.ts';
import {
  databaseOver,
  openTestDatabase,
  type Reply,
  type TestDatabase,
} from '../support/database.ts';
import { isWhole, portionOf } from '../support/portion.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { generateScenario } from './program.ts';
import { OracleWay } from './ways.ts';

const scenarios = portionOf(100);
const firstSeed = 45;
const variants = 8;

test('a program with the values of another one is answered as by the oracle', async () => {
  const seen: Seen = { hits: 0, newCounts: 0, newParts: 0, refused: 0 };
  for (let i = 0; i < scenarios; i++) await runScenario(firstSeed + i, seen);
  // What is generated must be worth comparing.
  expect(seen.hits).toBeGreaterThan(portionOf(300));
  expect(seen.newCounts).toBeGreaterThan(portionOf(8));
  // Few scenarios have patterns, and those of a portion may have none.
  if (isWhole) expect(seen.newParts).toBeGreaterThan(3);
  expect(seen.refused).toBeGreaterThan(portionOf(5));
}, 120_000);

/** Answers of templates: all, those with another limit or offset, with another part of a pattern, and refusals. */
interface Seen {
  hits: number;
  newCounts: number;
  newParts: number;
  refused: number;
}

async function runScenario(seed: number, seen: Seen): Promise<void> {
  const random = seededRandom(seed);
  const list = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 65536));
  const { changes, seeds, programs } = generateScenario({
    schema: list(60),
    rows: list(400),
    programs: Array.from({ length: 5 }, () => list(200)),
  });
  await using db = await openTestDatabase('direct');
  for (const change of changes) await db.engine.changeCatalog(() => change);
  const oracle = new OracleWay('direct', changes);
  for (const program of seeds) {
    await db.send('POST', '/execute', program);
    oracle.run(program);
  }
  for (const { statements } of programs) {
    for (const statement of statements) {
      if (statement.kind === 'query') await compare(db, oracle, statement.relation, random, seen);
    }
  }
}

async function compare(
  db: TestDatabase,
  oracle: OracleWay,
  query: Query,
  random: () => number,
  seen: Seen,
): Promise<void> {
  const method = random() < 0.5 ? 'POST' : 'QUERY';
  for (let variant = 0; variant <= variants; variant++) {
    const changed = variant === 0 ? { query, counts: 0, parts: 0 } : otherValues(query, random);
    const { statements } = {
      statements: [{ kind: 'query', name: 'q', relation: changed.query }],
    } as const;
    const body = method === 'POST' ? { statements } : changed.query;
    const { templateHits } = db.counters;
    const known = await db.send(method, '/execute', body);
    if (db.counters.templateHits === templateHits) continue;
    const fresh = await databaseOver(db.engine).send(method, '/execute', body);
    const expected = oracle.run({ statements: [...statements] });
    const trouble = troubleOf(expected, known, fresh);
    if (trouble !== undefined)
      throw new Error(`${trouble}\n${known.text}\n${fresh.text}\n${JSON.stringify(body)}`);
    seen.hits++;
    if (changed.counts > 0) seen.newCounts++;
    if (changed.parts > 0) seen.newParts++;
    if (known.status !== 200) seen.refused++;
  }
}

function troubleOf(expected: Outcome, known: Reply, fresh: Reply): string | undefined {
  if (expected.kind === 'open') return undefined;
  if (expected.kind === 'refused') {
    const { reason } = known.json as { readonly reason?: string };
    const isAllowed = expected.errors.some((error) => error.reason === reason);
    return isAllowed ? undefined : 'another refusal';
  }
  if (expected.isAmbiguous) return undefined;
  if (known.status !== 200 || fresh.status !== 200) return 'refused';
  if (known.text === fresh.text || expected.anyOf !== undefined) return undefined;
  if (expected.isOrdered || expected.rows === undefined) return 'another result';
  const bag = ({ json }: Reply) =>
    (Array.isArray(json) ? json : (json as { result: readonly unknown[] }).result)
      .map((row) => Bun.inspect(row, { depth: 100 }))
      .sort()
      .join('\n');
  return bag(known) === bag(fresh) ? undefined : 'another bag';
}

const pools: Readonly<Record<string, readonly string[]>> = {
  int64: ['0', '1', '2', '3', '-1', '7', '9223372036854775807', '-9007199254740993'],
  float64: ['0', '-0', '0.5', '1', '-1.5', '1e308', '9007199254740993'],
  text: ['', 'a', 'b', 'ab', 'n', '\u{1f600}', '\uff5e', 'ß'],
  bool: ['true', 'false'],
  bytes: ['', 'AA==', 'YWI=', '/w=='],
};
const counts = [0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 100];
const texts = ['a', 'b', 'ab', 'n', 'A', '\u{1f600}'];

/** The same query with other values in half of the places. */
function otherValues(query: Query, random: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const changes = { counts: 0, parts: 0 };
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) members[name] = visit(member);
    const { kind } = members;
    if (kind !== 'literal' && random() < 0.5) return members;
    if (kind === 'lit') {
      const literal = members['value'] as { readonly type: string; readonly value?: unknown };
      if (typeof literal.value !== 'string') return members;
      return { kind, value: { ...literal, value: pick(pools[literal.type] as string[]) } };
    }
    if (kind === 'rows') {
      const columns = members['columns'] as readonly { readonly type: string }[];
      const rows = members['rows'] as readonly (readonly (string | null)[])[];
      const cell = (old: string | null, i: number) =>
        old === null ? null : pick(pools[columns[i]?.type as string] as string[]);
      return { ...members, rows: rows.map((row) => row.map(cell)) };
    }
    if (kind === 'literal') {
      changes.parts++;
      return { kind, value: pick(texts) };
    }
    if (kind === 'slice') {
      for (const name of ['offset', 'limit']) {
        if (members[name] === undefined) continue;
        changes.counts++;
        members[name] = pick(counts);
      }
    }
    return members;
  };
  return { query: visit(query) as Query, ...changes };
}
