/** Engines with API keys, for tests. */

import { systemWorld, type World } from '#base';
import { type Engine, openEngine } from '#engine';
import { DatabaseError, type Failure } from '#failure';
import type { StoreTuning } from '#storage';
import { checkProgram } from '#wire';

export function open(
  path: string,
  {
    tuning,
    world,
    ...more
  }: Partial<Parameters<typeof openEngine>[0]> & { tuning?: StoreTuning; world?: World } = {},
): Promise<Engine> {
  return openEngine({
    storage: path === '' ? 'memory' : 'file',
    path,
    mode: undefined,
    world: world ?? systemWorld(),
    tuning: { cacheBytes: 1 << 20, ...tuning },
    programMemoryBytes: 8 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 1000,
    holderAddress: 'test',
    ...more,
  });
}

export async function failureOf(pending: Promise<unknown>): Promise<Failure> {
  try {
    await pending;
  } catch (error) {
    if (error instanceof DatabaseError) return error.failure;
    throw error;
  }
  throw new Error('it did not fail');
}

export function makeTable(engine: Engine, name = 't'): Promise<unknown> {
  const columns = [
    { name: 'id', type: 'int64', default: { kind: 'generator', func: 'increment' } },
    { name: 'n', type: 'int64' },
  ] as const;
  return engine.changeCatalog(() => ({
    kind: 'create_table',
    table: { name, columns, primary_key: ['id'] } as never,
  }));
}

/** A program that creates a row with this number, and returns it. */
export const creates = (n: number) => () =>
  checkProgram({
    statements: [
      {
        kind: 'create',
        name: 'c',
        table: 't',
        relation: {
          nodes: {
            r: {
              kind: 'rows',
              scope: 'r',
              columns: [{ name: 'n', type: 'int64' }],
              rows: [[`${n}`]],
            },
          },
          root: { node: 'r', cardinality: 'many' },
        },
      },
    ],
    result: 'c',
  });

/** The numbers of all rows. */
export async function numbersIn(engine: Engine): Promise<number[]> {
  const by = { expr: { kind: 'col', scope: 's', column: 'id' } };
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    o: { kind: 'order', input: 's', terms: [by] },
  };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  const program = () => checkProgram({ statements: [{ kind: 'query', name: 'q', relation }] });
  const { result } = await engine.execute({ program });
  return (result?.rows ?? []).map((row) => Number(row[1]));
}
