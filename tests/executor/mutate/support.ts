/** A small database for mutations: programs run one after the other, and failed ones leave nothing. */

import type { Catalog } from '#catalog';
import type { RelationPlan, StatementPlan } from '#planner';
import type { Row } from '#value';
import { MemoryTransaction } from '../support/memory-transaction.ts';
import { Parameters, scan, sort } from '../support/plans.ts';
import { failureOf, mutation, query, runNow, tableOf } from '../support/run.ts';

export class Bench {
  readonly catalog: Catalog;
  transaction = new MemoryTransaction();

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /** Runs a mutation over literal rows and returns its result rows. */
  mutate(
    kind: 'create' | 'update' | 'delete',
    columns: readonly [string, ...string[]],
    rows: readonly Row[],
  ): readonly Row[] {
    const [name, ...names] = columns;
    const table = tableOf(this.catalog, name);
    const p = new Parameters();
    const types = names.map(
      (column) => table.columns.find((candidate) => candidate.name === column)?.type ?? 'int64',
    );
    return this.run([mutation(kind, this.catalog, columns, p.rows(types, rows))], p) ?? [];
  }

  create(columns: readonly [string, ...string[]], ...rows: Row[]): readonly Row[] {
    return this.mutate('create', columns, rows);
  }

  update(columns: readonly [string, ...string[]], ...rows: Row[]): readonly Row[] {
    return this.mutate('update', columns, rows);
  }

  delete(columns: readonly [string, ...string[]], ...rows: Row[]): readonly Row[] {
    return this.mutate('delete', columns, rows);
  }

  run(statements: readonly StatementPlan[], p = new Parameters()): readonly Row[] | undefined {
    const attempt = this.transaction.slow(0);
    const outcome = runNow(statements, {
      catalog: this.catalog,
      transaction: attempt,
      parameters: p.values,
    });
    this.transaction = attempt;
    return outcome.result?.rows;
  }

  /** All rows in primary-key order. */
  rows(name: string): readonly Row[] {
    const table = tableOf(this.catalog, name);
    const plan: RelationPlan = scan(table);
    return this.run([query('all', plan)]) ?? [];
  }

  /** Rows through an index: sorted by all columns, to compare with `rows`. */
  rowsByIndex(name: string, index: string): readonly Row[] {
    const table = tableOf(this.catalog, name);
    const found = table.indexes.find((candidate) => candidate.name === index);
    if (found === undefined) throw new Error(`no index ${index}`);
    const access = {
      kind: 'index' as const,
      index: found,
      interval: { prefix: [], lower: undefined, upper: undefined },
    };
    const plan = sort(
      scan(table, { access }),
      table.columns.map((_, i) => [i]),
    );
    return this.run([query('all', plan)]) ?? [];
  }

  /** The failure of an act that must leave everything as it is. */
  failure(act: () => unknown): string {
    const before = this.transaction;
    const failure = failureOf(act);
    if (this.transaction !== before) throw new Error('a failed program left effects');
    return failure;
  }
}
