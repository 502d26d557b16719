/** Counts executed statements and their rows, by kind of statement. */

import { type Attributes, counter, type Instrument } from './instrument.ts';

const kinds = ['query', 'create', 'update', 'delete', 'catalog'] as const;
type StatementKind = (typeof kinds)[number];

const recalled: Attributes = {
  'svc.statement.kind': 'query',
  'svc.statement.source': 'relation_cache',
  'svc.status': 'success',
};

interface Count {
  done: number;
  failed: number;
  rows: number;
}

export class StatementMeter {
  private recalls = 0;
  private recalledRows = 0;
  private readonly counts: Readonly<Record<StatementKind, Count>> = {
    query: newCount(),
    create: newCount(),
    update: newCount(),
    delete: newCount(),
    catalog: newCount(),
  };

  /** Records a successful statement. `rows` is the number of rows that it read, created, updated or deleted. */
  done(kind: StatementKind, rows: number): void {
    const count = this.counts[kind];
    count.done++;
    count.rows += rows;
  }

  /** Records a query whose result came from the relation cache or from a concurrent request. */
  recalled(rows: number): void {
    this.recalls++;
    this.recalledRows += rows;
  }

  failed(kind: StatementKind): void {
    this.counts[kind].failed++;
  }

  instruments(): readonly Instrument[] {
    const about =
      'Number of executed statements, including those of repeated attempts of a program, and of queries with a cached result.';
    return [
      counter('svc.statement.executions', '{statements}', about, () => [
        ...this.each(({ done, failed }) => ({ success: done, error: failed })),
        [recalled, this.recalls],
      ]),
      counter(
        'svc.statement.rows',
        '{rows}',
        'Number of rows of the statements that `svc.statement.executions` counts.',
        () => [...this.each(({ rows }) => ({ success: rows })), [recalled, this.recalledRows]],
      ),
    ];
  }

  private each(of: (count: Count) => Readonly<Record<string, number>>) {
    return kinds.flatMap((kind) =>
      Object.entries(of(this.counts[kind])).map(([status, value]): [Attributes, number] => [
        {
          'svc.statement.kind': kind,
          'svc.statement.source': 'executed',
          'svc.status': status,
        },
        value,
      ]),
    );
  }
}

function newCount(): Count {
  return { done: 0, failed: 0, rows: 0 };
}
