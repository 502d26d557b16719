/** Writes to a table whose transition finishes: which plans come to it, and how long they wait. */

import { describe, expect, test } from 'bun:test';
import type { Catalog, ForeignKeyAction, Table } from '#catalog';
import { DatabaseError, type Failure } from '#failure';
import type { ProgramPlan } from '#planner';
import type { Database } from '../../src/engine/database.ts';
import { type GateDeadline, gatedWrite, WriteGates } from '../../src/engine/write-gates.ts';
import { manualWorld } from '../support/manual-world.ts';

interface Shape {
  /** Tables that it refers to, and what a delete there does. */
  readonly refs?: readonly (readonly [table: number, onDelete: ForeignKeyAction])[];
  readonly gate?: 'index_build' | 'constraint_validation';
}

function tableOf(id: number, { refs = [], gate }: Shape): Table {
  const foreignKeys = refs.map(([refTable, onDelete], i) => ({
    name: `k${i}`,
    refTable,
    onDelete,
  }));
  const index = { name: 'unique_a', unique: true };
  const constraint = { kind: 'not_null', column: 1 };
  const transitions = gate && [
    { id: 8, kind: 'index_build', state: 'building', index: { name: 'other', unique: true } },
    { id: 9, kind: gate, state: 'validating', index, constraint, physicalId: 77 },
  ];
  return {
    ...{ id, name: `t${id}`, columns: [], foreignKeys },
    ...(transitions && { transitions }),
  } as unknown as Table;
}

const catalogOf = (shapes: Readonly<Record<number, Shape>>) =>
  ({
    tables: Object.entries(shapes).map(([id, shape]) => tableOf(Number(id), shape)),
  }) as unknown as Catalog;

type Kind = 'create' | 'update' | 'delete' | 'query' | 'catalog';

/** Statements about tables, `[kind, table]`. */
const planOf = (...statements: readonly (readonly [Kind, number])[]) =>
  ({
    statements: statements.map(([kind, id]) => ({ kind, table: { id } })),
  }) as unknown as ProgramPlan;

/** Table and operation of the first write that comes to a gate. */
function met(
  shapes: Readonly<Record<number, Shape>>,
  ...statements: readonly (readonly [Kind, number])[]
) {
  const found = gatedWrite(planOf(...statements), catalogOf(shapes));
  return found && [found.table.name, found.operation];
}

const gated = { gate: 'index_build' } as const;

describe('a write comes to a gate', () => {
  test.each([
    ['create', 'insert'],
    ['update', 'update'],
    ['delete', 'delete'],
  ] as const)('as a %s of the table', (kind, operation) => {
    expect(met({ 1: gated, 2: {} }, [kind, 1])).toEqual(['t1', operation]);
    expect(met({ 1: gated, 2: {} }, [kind, 2])).toBeUndefined();
    expect(met({ 1: {}, 2: {} }, [kind, 1])).toBeUndefined();
  });

  test('never as a read or a change of the catalog', () => {
    expect(met({ 1: gated }, ['query', 1], ['catalog', 1])).toBeUndefined();
  });

  test('in any of the statements, the first of which is told', () => {
    const shapes = { 1: {}, 2: gated, 3: gated };
    expect(
      met(shapes, ['query', 2], ['create', 1], ['delete', 1], ['update', 3], ['create', 2]),
    ).toEqual(['t3', 'update']);
  });

  test.each([
    ['cascade', 'delete'],
    ['set_null', 'update'],
    ['restrict', undefined],
  ] as const)('by a delete that leads there by %s', (action, operation) => {
    const shapes = { 1: {}, 2: { ...gated, refs: [[1, action]] } } as const;
    expect(met(shapes, ['delete', 1])).toEqual(operation && ['t2', operation]);
    expect(met(shapes, ['update', 1])).toBeUndefined();
    expect(met(shapes, ['create', 1])).toBeUndefined();
  });

  test('by the harder of two keys between the same tables', () => {
    const refs = [
      [1, 'restrict'],
      [1, 'set_null'],
      [1, 'cascade'],
    ] as const;
    expect(met({ 1: {}, 2: { ...gated, refs } }, ['delete', 1])).toEqual(['t2', 'delete']);
  });

  test('over several tables, of which some refer to each other', () => {
    const shapes = {
      1: { refs: [[3, 'cascade']] },
      2: {
        refs: [
          [1, 'cascade'],
          [2, 'cascade'],
        ],
      },
      3: { refs: [[2, 'cascade']] },
      4: { ...gated, refs: [[3, 'set_null']] },
      5: gated,
    } as const;
    expect(met(shapes, ['delete', 1])).toEqual(['t4', 'update']);
    expect(met({ ...shapes, 4: { refs: [[3, 'cascade']] } }, ['delete', 1])).toBeUndefined();
  });

  test('not over keys to other tables', () => {
    const shapes = { 1: {}, 2: {}, 3: { ...gated, refs: [[2, 'cascade']] } } as const;
    expect(met(shapes, ['delete', 1])).toBeUndefined();
  });
});

describe('a program at a gate', () => {
  function opened() {
    const world = manualWorld();
    const catalogListeners = new Set<() => void>();
    const gates = new WriteGates({ world, catalogListeners } as unknown as Database);
    const change = () => {
      for (const listener of catalogListeners) listener();
    };
    return { world, gates, change };
  }

  const write = (shape: Shape, kind: Kind = 'create') =>
    gatedWrite(planOf([kind, 1]), catalogOf({ 1: shape })) as NonNullable<
      ReturnType<typeof gatedWrite>
    >;

  async function failureOf(pending: Promise<void>): Promise<Failure> {
    const error = await pending.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseError);
    return (error as DatabaseError).failure;
  }

  const newDeadline = (): GateDeadline => ({ untilMs: undefined });

  test('looks again when the catalog changes, and after fifty milliseconds at most', async () => {
    const { world, gates, change } = opened();
    const deadline = newDeadline();
    const first = gates.pass(write(gated), deadline);
    expect(world.pending).toEqual([50]);
    change();
    await first;
    // Its timer is gone with it.
    expect(world.pending).toEqual([]);
    world.advance(20);
    const second = gates.pass(write(gated), deadline);
    expect(world.pending).toEqual([30]);
    world.advance(30);
    await second;
  });

  test('is refused once its patience is at its end, which all its gates share', async () => {
    const { world, gates, change } = opened();
    const deadline = newDeadline();
    const first = gates.pass(write(gated), deadline);
    change();
    await first;
    world.advance(50);
    expect(await failureOf(gates.pass(write(gated, 'update'), deadline))).toEqual({
      reason: 'schema_transition_finalizing',
      detail: 'table "t1" accepts no writes while a transition finishes; send the program again',
      retryAfterSeconds: 1,
      mentions: [expect.objectContaining({ name: 't1' })],
      conflict: { object: 'table', table: 't1', index: 'unique_a', operation: 'update' },
    });
    // Another program has patience of its own.
    const other = gates.pass(write(gated), newDeadline());
    expect(world.pending).toEqual([50]);
    change();
    await other;
  });

  test('is told of no index where none is made', async () => {
    const { world, gates } = opened();
    const deadline = newDeadline();
    void gates.pass(write(gated), deadline);
    world.advance(50);
    const refused = gates.pass(write({ gate: 'constraint_validation' }, 'delete'), deadline);
    expect((await failureOf(refused)).conflict).toEqual({
      ...{ object: 'table', table: 't1', operation: 'delete' },
    });
  });
});
