/** A program that was made for one state: it is asked for again while that state does not hold, and is planned for its catalog. */

import { expect, test } from 'bun:test';
import { rejection } from '../support/outcome.ts';
import { memoryEngine } from './support/memory-engine.ts';

const columns = [{ name: 'id', type: 'int64' }] as const;
const creation = (name: string) => {
  return { kind: 'create_table', name, table: { name, columns, primary_key: ['id'] } } as const;
};
const authority = 'migration';

test('it is asked for again when what it rests on has changed before its commit', async () => {
  const engine = await memoryEngine();
  let asked = 0;
  let looks = 0;
  const program = () => ({ statements: [creation(`t${++asked}`)] });
  // The commit of the first program meets another state.
  const basis = { catalog: () => engine.catalog, holds: () => ++looks > 1 && asked > 1 };
  await engine.execute({ program, basis, authority });
  expect(asked).toBe(2);
  expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['t2']);
  await engine.close();
});

test('it is refused when that never holds, and nothing has happened', async () => {
  const engine = await memoryEngine();
  let asked = 0;
  const program = () => ({ statements: [creation(`t${++asked}`)] });
  const basis = { catalog: () => engine.catalog, holds: () => false };
  const refused = await rejection(engine.execute({ program, basis, authority }));
  expect(refused).toMatchObject({ failure: { reason: 'serializable_conflict' } });
  expect(asked).toBeGreaterThan(2);
  expect(engine.catalog.tables).toEqual([]);
  await engine.close();
});

test('it is planned for the catalog that it was made for, and run once that is the one', async () => {
  const engine = await memoryEngine();
  const before = engine.catalog;
  let asked = 0;
  const program = async () => {
    if (++asked === 1) await engine.execute({ program: () => ({ statements: [creation('t')] }) });
    return { statements: asked === 1 ? [creation('t')] : [creation('u')] };
  };
  const basis = { catalog: () => (asked === 1 ? before : engine.catalog), holds: () => true };
  // For the catalog as it is, the first program would be refused: its table is there.
  await engine.execute({ program, basis, authority });
  expect(engine.catalog.tables.map(({ name }) => name)).toEqual(['t', 'u']);
  await engine.close();
});

test('a migration of several statements makes one version', async () => {
  const engine = await memoryEngine();
  const { version } = engine.catalog;
  const program = () => ({ statements: [creation('a'), creation('b'), creation('c')] });
  await engine.execute({ program, authority });
  expect(engine.catalog.version).toBe(version + 1);
  await engine.execute({ program: () => ({ statements: [creation('d'), creation('e')] }) });
  expect(engine.catalog.version).toBe(version + 3);
  await engine.close();
});
