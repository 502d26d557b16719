/** What the log is told of programs: all of them, or those that are slow, with what they did and who asked. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { neverYield } from '#base';
import type { Engine } from '#engine';
import type { ProgramLog } from '#http';
import { applicationOf, familyOfBody } from '../../src/http/program/program-log.ts';
import { manualWorld } from '../support/manual-world.ts';
import { openMemoryEngine, openTestHandler, testLimits } from './support.ts';

type Report = Parameters<ProgramLog['executed']>[0];

const limits = { ...testLimits, bodyBytesMax: 1 << 16, arrivingBytesMax: 1 << 20 };
let engine: Engine;

beforeAll(async () => {
  engine = await openMemoryEngine();
});
afterAll(() => engine.close());

const relation = (...rows: readonly (readonly string[])[]) => ({
  nodes: {
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'a', type: 'int64', nullable: false }], rows },
    o: {
      ...{ kind: 'order', input: 'r' },
      terms: [{ expr: { kind: 'col', scope: 'r', column: 'a' } }],
    },
  },
  root: { node: 'o', cardinality: 'many' },
});
const program = (...rows: readonly (readonly string[])[]) =>
  JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation: relation(...rows) }] });

/** The application over the engine, by a clock that moves `ms` whenever somebody looks. */
function logged({ isOfAll = false, slowMs = Number.POSITIVE_INFINITY, ms = 0 }) {
  const world = manualWorld();
  const executed: (Report & { readonly identity: unknown })[] = [];
  const slow: (Report & { readonly family: unknown })[] = [];
  const programLog: ProgramLog = {
    ...{ isOfAll, slowMs },
    executed: (report, identity) => executed.push({ ...report, identity }),
    slow: (report, family) => slow.push({ ...report, family: family() }),
    diagnosed: () => {},
  };
  const clock = {
    unixMs: world.clock.unixMs,
    monotonicMs: () => {
      world.advance(ms);
      return world.clock.monotonicMs();
    },
  };
  const { send } = openTestHandler({ engine }, { limits, programLog, clock });
  const ask = (body: string, headers: Record<string, string> = {}) =>
    send('POST', '/execute', { body, headers: { 'content-type': 'application/json', ...headers } });
  return { ask, send, executed, slow };
}

describe('a log of all programs', () => {
  test('is told what a program was and did', async () => {
    const { ask, executed, slow } = logged({ isOfAll: true });
    await ask(program(['1'], ['2']), { 'x-svc-application-name': 'mine' });
    expect(slow).toEqual([]);
    expect(executed).toHaveLength(1);
    expect(executed[0]).toMatchObject({
      ...{ isDry: false, statements: 1, resultRows: 2, application: 'mine' },
      ...{ errorReason: undefined, errorKind: undefined, traceId: undefined },
      affected: [{ affected: 2 }],
      identity: { statements: [{ name: 'q', kind: 'query', isMutation: false }] },
    });
    expect(executed[0]?.requestId).not.toBe(executed[0]?.transactionId);
  });

  test('knows a program that comes again, with other literals, as the same', async () => {
    const { ask, executed } = logged({ isOfAll: true });
    for (const cell of ['1', '2', '3']) await ask(program([cell]));
    const fingerprints = executed.map(
      ({ identity }) => (identity as { readonly fingerprint: string }).fingerprint,
    );
    expect(new Set(fingerprints).size).toBe(1);
    expect(fingerprints).toHaveLength(3);
  });

  test('is told of failures with their reasons, and of programs that were only tried', async () => {
    const { ask, send, executed } = logged({ isOfAll: true });
    await ask(program(['1']).replace('"query"', '"quary"'));
    const unknown = {
      nodes: { s: { kind: 'scan', table: 'none', scope: 's' } },
      root: { node: 's', cardinality: 'first' },
    };
    await ask(JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation: unknown }] }));
    await send('POST', '/execute?dry-run=true', {
      ...{ body: program(['1']), headers: { 'content-type': 'application/json' } },
    });
    expect(
      executed.map(({ errorReason, isDry, affected, affectedRows }) => [
        ...[errorReason, isDry, affected.length, affectedRows],
      ]),
    ).toEqual([
      ['schema_violation', false, 0, 0],
      ['unknown_table', false, 0, 0],
      [undefined, true, 0, 0],
    ]);
    expect(executed[0]?.identity).toBeUndefined();
    expect(executed[1]?.errorKind).toBeDefined();
  });
});

describe('a log of slow programs', () => {
  test('is told of those that take as long, with their families', async () => {
    const quick = logged({ slowMs: 1_000, ms: 1 });
    await quick.ask(program(['1']));
    expect([quick.slow, quick.executed]).toEqual([[], []]);
    const slow = logged({ slowMs: 1, ms: 1 });
    await slow.ask(program(['1']));
    expect(slow.executed).toEqual([]);
    expect(slow.slow).toMatchObject([{ statements: 1, resultRows: 1, isDry: false }]);
    expect(slow.slow[0]?.durationMs).toBeGreaterThanOrEqual(1);
    expect(slow.slow[0]?.family).toMatchObject({ text: expect.any(String) });
  });

  test('tells the same family for other literals, and none of what cannot be understood', async () => {
    const { ask, slow } = logged({ slowMs: 1, ms: 1 });
    await ask(program(['1']));
    await ask(program(['2']));
    await ask(program(['1']).replace('"query"', '"quary"'));
    const [first, second, third] = slow.map(({ family }) => family);
    expect(second).toEqual(first);
    expect(JSON.stringify(first)).not.toContain('"1"');
    expect(third).toBeUndefined();
  });

  test('of all programs as well is told of both', async () => {
    const { ask, slow, executed } = logged({ isOfAll: true, slowMs: 1, ms: 1 });
    await ask(program(['1']));
    expect([slow.length, executed.length]).toEqual([1, 1]);
  });
});

test('the family of a body is that of the program or query that it is', () => {
  const parsing = { limits, random: undefined, pace: neverYield } as never;
  const asProgram = familyOfBody(parsing, program(['1']), false);
  const asQuery = familyOfBody(parsing, JSON.stringify(relation(['1'])), true);
  expect(asProgram?.text).toBeDefined();
  expect(asQuery?.identity.statements).toHaveLength(1);
  expect(familyOfBody(parsing, program(['1']), true)).toBeUndefined();
  expect(familyOfBody(parsing, JSON.stringify(relation(['1'])), false)).toBeUndefined();
  expect(familyOfBody(parsing, '{', false)).toBeUndefined();
  expect(familyOfBody(parsing, ' '.repeat(1 << 20) + program(['1']), false)).toBeUndefined();
});

test('an application calls itself with 64 printable characters at most', () => {
  const named = (name?: string) =>
    applicationOf(new Headers(name === undefined ? {} : { 'x-svc-application-name': name }));
  expect(named()).toBeUndefined();
  expect(named('my app ~1')).toBe('my app ~1');
  expect(named('x'.repeat(64))).toBe('x'.repeat(64));
  expect(named('x'.repeat(65))).toBe('x'.repeat(64));
  expect(named('a\tb\u00e9c')).toBe('a?b?c');
});
