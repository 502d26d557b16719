/** Statements of programs by kind: how often each is run, and for how many rows. */

import { type Attributes, counter, type Instrument } from './instrument.ts';

const kinds = ['query', 'create', 'update', 'delete', 'catalog'] as const;
type StatementKind = (typeof kinds)[number];

interface Count {
  done: number;
  failed: number;
  rows: number;
}

export class StatementMeter {
  private readonly counts: Readonly<Record<StatementKind, Count>> = {
    query: newCount(),
    create: newCount(),
    update: newCount(),
    delete: newCount(),
    catalog: newCount(),
  };

  /** `rows`: that it has read, created, updated or deleted. */
  done(kind: StatementKind, rows: number): void {
    const count = this.counts[kind];
    count.done++;
    count.rows += rows;
  }

  failed(kind: StatementKind): void {
    this.counts[kind].failed++;
  }

  instruments(): readonly Instrument[] {
    const about = 'Statements that were run, each attempt of a program that is run again included.';
    return [
      counter('svc.statement.executions', '{statements}', about, () =>
        this.each(({ done, failed }) => ({ success: done, error: failed })),
      ),
      counter('svc.statement.rows', '{rows}', 'Rows of statements that were run.', () =>
        this.each(({ rows }) => ({ success: rows })),
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
