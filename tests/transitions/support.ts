/** A database whose transitions move only when the test says so, and short forms of the statements that tests of transitions need. */

import { expect } from 'bun:test';
import { systemWorld } from '#base';
import type { ColumnDefinition, ForeignKeyDefinition, TransitionControl } from '#catalog';
import { type Engine, openEngine } from '#engine';
import type { Query } from '#lir';
import type { StoreTuning } from '#storage';
import { TransitionWorker } from '#transitions';
import type { ScalarType } from '#value';
import { claimTransition, stepTransition } from '../../src/transitions/step.ts';
import { databaseOver, type Reply, type TestDatabase } from '../support/database.ts';

export interface Workshop extends TestDatabase {
  /** Works only when it is told to, 512 rows a step. */
  readonly worker: TransitionWorker;
  /** Runs a program; fails unless it succeeds. */
  run(...statements: readonly object[]): Promise<ProgramAnswer>;
  /** Runs a program that is refused: status and reason. */
  refused(...statements: readonly object[]): Promise<string>;
  /** Starts a transition; its id. */
  start(statement: object): Promise<string>;
  get(id: string): Promise<TransitionControl>;
  /** Rounds of the worker until the transition is in that state; fails when it ends otherwise. */
  until(id: string, state: TransitionControl['state']): Promise<TransitionControl>;
  /** Rounds of the worker until it has looked at rows, but not at all of more than 512. */
  scan(id: string): Promise<void>;
  /** Steps up to the state in which the gate is shut, and not one further. */
  shutGate(id: string): Promise<void>;
  /** Rounds of the worker until nothing is left to do. */
  settle(): Promise<void>;
  rows(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface ProgramAnswer {
  readonly result: unknown;
  readonly statements: readonly {
    readonly affected: number;
    readonly control: TransitionControl | null;
  }[];
}

/** Index builds in runs of so many rows, over tables of any size. */
export const runsOf = (entries: number) => ({
  runRowsMin: 0,
  runLimits: { entries, bytes: 1 << 20 },
});

/** Rounds after which a test gives up. */
const roundsMax = 10_000;

export async function openWorkshop(tuning: StoreTuning = {}): Promise<Workshop> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    tuning: { cacheBytes: 16 << 20, ...tuning },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 1000,
    holderAddress: 'test',
    worksOnTransitions: false,
  });
  return workshopOver(engine);
}

export function workshopOver(engine: Engine): Workshop {
  const database = databaseOver(engine);
  const worker = new TransitionWorker(engine['database'], { stepRows: 512 });
  engine['database'].catalogListeners.add(() => worker.wake());
  const send = (statements: readonly object[]): Promise<Reply> => {
    const named = statements.map((statement, i) => ({ name: `s${i}`, ...statement }));
    const relational = named.findLast((statement) => 'relation' in statement);
    const result = relational === undefined ? {} : { result: relational.name };
    return database.send('POST', '/execute', { statements: named, ...result });
  };
  const workshop: Workshop = {
    ...database,
    worker,
    run: async (...statements) => {
      const reply = await send(statements);
      if (reply.status !== 200) throw new Error(reply.text);
      return reply.json as ProgramAnswer;
    },
    refused: async (...statements) => {
      const reply = await send(statements);
      const { reason, detail } = reply.json as { reason: string; detail: string };
      return `${reply.status} ${reason}: ${detail}`;
    },
    start: async (statement) => {
      const { statements } = await workshop.run(statement);
      return statements[0]?.control?.transition_id as string;
    },
    get: async (id) => {
      const reply = await database.send('GET', `/schema/transitions/${id}`);
      return reply.json as TransitionControl;
    },
    until: async (id, state) => {
      for (let rounds = 0; rounds < roundsMax; rounds++) {
        const control = await workshop.get(id);
        if (control.state === state) return control;
        if (['ready', 'failed', 'cancelled'].includes(control.state)) {
          throw new Error(`${id} is ${control.state}: ${control.last_error}`);
        }
        await worker.round();
      }
      throw new Error(`${id} does not become ${state}`);
    },
    scan: async (id) => {
      while ((await workshop.get(id)).rows_scanned === 0) await worker.round();
      expect((await workshop.get(id)).state).toBe('building');
    },
    shutGate: async (id) => {
      const number = Number(id.slice(2));
      const host = engine['database'];
      const { epoch } = await claimTransition(host, number);
      while ((await workshop.get(id)).state !== 'validating') {
        const outcome = await stepTransition(host, number, { epoch, rowsMax: 512 });
        if (outcome !== 'advanced') throw new Error(`${id} is ${outcome}`);
      }
    },
    settle: async () => {
      for (let rounds = 0; rounds < roundsMax; rounds++) {
        if (!(await worker.round())) return;
      }
      throw new Error('there is no end of work');
    },
    rows: async (table) => {
      const { result } = await workshop.run({ kind: 'query', relation: allRows(table) });
      return result as readonly Readonly<Record<string, unknown>>[];
    },
  };
  return workshop;
}

const column = (name: string) => ({ kind: 'col', scope: 's', column: name }) as const;

function allRows(table: string): Query {
  const terms = [{ expr: column('id') }];
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    o: { kind: 'order', input: 's', terms },
  } as const;
  return { nodes, root: { node: 'o', cardinality: 'many' } };
}

/** A query for the rows whose column has a value, by id. */
export function matching(table: string, name: string, type: ScalarType, value: string): object {
  const literal = { kind: 'lit', value: { type, value } };
  const predicate = { kind: 'binary', op: 'eq', left: column(name), right: literal };
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
    o: { kind: 'order', input: 'f', terms: [{ expr: column('id') }] },
  };
  return { kind: 'query', relation: { nodes, root: { node: 'o', cardinality: 'many' } } };
}

/** Columns are written `name type`, with `?` when nullable. */
export type Typed = `${string} ${ScalarType}` | `${string} ${ScalarType}?`;

function typed(text: Typed): ColumnDefinition {
  const [name, type] = text.split(' ') as [string, string];
  const nullable = type.endsWith('?');
  return { name, type: type.replace('?', '') as ScalarType, ...(nullable && { nullable }) };
}

export function createTable(
  name: string,
  columns: readonly Typed[],
  more: {
    readonly foreign_keys?: readonly ForeignKeyDefinition[];
    readonly indexes?: readonly object[];
  } = {},
): object {
  return {
    kind: 'create_table',
    table: { name, columns: columns.map(typed), primary_key: ['id'], ...more },
  };
}

export type Cell = string | null;

function relationOf(columns: readonly Typed[], rows: readonly (readonly Cell[])[]): Query {
  const node = { kind: 'rows', scope: 'r', columns: columns.map(typed), rows };
  return { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } } as Query;
}

export function mutation(
  kind: 'create' | 'update' | 'delete',
  table: string,
  columns: readonly Typed[],
  ...rows: readonly (readonly Cell[])[]
): object {
  return { kind, table, relation: relationOf(columns, rows) };
}

export function buildIndex(name: string, columns: readonly string[], unique = false): object {
  return { kind: 'start_index_build', table_id: 1, index: { name, columns, unique } };
}

export function expectFine(findings: readonly string[]): void {
  expect(findings).toEqual([]);
}
