/** A commit that the log has is not reported as a failure, although the end of its program comes before its writes are applied. */

import { expect, spyOn, test } from 'bun:test';
import { systemWorld } from '#base';
import type { Transaction } from '#storage';
import { checkProgram } from '#wire';
import { createFilled, memoryEngine, resultOf } from './support/memory-engine.ts';

const columns = [{ name: 'id', type: 'int64' }] as const;
const table = { name: 't', columns };
const id = { kind: 'col', scope: 'a', column: 'id' };
const scan = { kind: 'scan', table: 't', scope: 'a' };

/** As many rows again: with their writes, applying the commit takes more than one turn of the event loop. */
const doubling = {
  nodes: {
    a: scan,
    p: {
      kind: 'project',
      input: 'a',
      fields: [
        {
          as: 'id',
          expr: {
            kind: 'binary',
            op: 'add',
            left: id,
            right: { kind: 'lit', value: { type: 'int64', value: '1000000' } },
          },
        },
      ],
    },
  },
  root: { node: 'p', cardinality: 'many' },
};

const counted = {
  nodes: {
    a: scan,
    g: { kind: 'aggregate', input: 'a', aggs: [{ as: 'n', fn: 'count' }] },
  },
  root: { node: 'g', cardinality: 'first' },
};

test('a client that goes between the log and the memtable gets the answer of its commit', async () => {
  const client = new AbortController();
  let isValid = false;
  let isApplied = false;
  const world = systemWorld();
  const { scheduler } = world;
  /** Lets the client go at the first pause between validation and the end of the commit. */
  const pause = () => {
    if (isValid && !isApplied) client.abort();
    return scheduler.yield();
  };
  const leaving = { ...world, scheduler: { ...scheduler, yield: pause } };
  const engine = await memoryEngine({ world: leaving });
  const rows = Array.from({ length: 20_000 }, (_, i) => [String(i)]);
  await createFilled(engine, table, rows);
  const { store } = engine['database'];
  const begin = store.begin.bind(store);
  spyOn(store, 'begin').mockImplementation(() => watched(begin()));

  function watched(transaction: Transaction): Transaction {
    const commit = transaction.commit.bind(transaction);
    transaction.commit = ({ validate, applied } = {}) =>
      commit({
        validate: () => {
          isValid = validate?.() !== false;
          return isValid;
        },
        applied: (sequence) => {
          isApplied = true;
          applied?.(sequence);
        },
      });
    return transaction;
  }

  const program = checkProgram({
    statements: [
      { kind: 'create', name: 'c', table: 't', relation: doubling },
      { kind: 'query', name: 'n', relation: counted },
    ],
    result: 'n',
  });
  const requestContext = engine.requestContext({ signal: () => client.signal });
  const answer = await engine.execute({ program: () => program }, requestContext);
  requestContext.close();
  expect(answer.result).toMatchObject({ rows: [[40_000]] });
  expect([isApplied, client.signal.aborted]).toEqual([true, true]);
  const counting = { kind: 'query', name: 'n', relation: counted };
  expect(await resultOf(engine, [counting], 'n')).toMatchObject({ rows: [[40_000]] });
  await engine.close();
});
