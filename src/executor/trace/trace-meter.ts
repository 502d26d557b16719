/** Totals of the detailed work of programs. Only programs with a trace or diagnostics are counted. */

import {
  counter,
  DurationHistogram,
  durations,
  type Instrument,
  type Point,
  RowHistogram,
  rowCounts,
} from '#observe';
import type { ProgramTrace, StatementTrace } from './program-trace.ts';

interface OperatorWork {
  readonly open: DurationHistogram;
  readonly exclusive: DurationHistogram;
  readonly inputRows: RowHistogram;
  readonly outputRows: RowHistogram;
}

const watched = 'for programs with a trace or diagnostics';

export class TraceMeter {
  private readonly statements = new Map<string, DurationHistogram>();
  /** Work of operators by name, of which there are a few dozen. */
  private readonly operators = new Map<string, OperatorWork>();
  private readonly kv = { get: 0, put: 0, delete: 0, scan: 0, read: 0, written: 0, iterated: 0 };

  /** Adds a program that has ended. */
  add({ kv, statements }: ProgramTrace): void {
    const all = this.kv;
    all.get += kv.gets;
    all.put += kv.puts;
    all.delete += kv.deletes;
    all.scan += kv.scans;
    all.read += kv.bytesRead;
    all.written += kv.bytesWritten;
    all.iterated += kv.iterated;
    for (const statement of statements) this.addStatement(statement);
  }

  instruments(): readonly Instrument[] {
    const { kv } = this;
    return [
      durations('svc.statement.duration', `Duration of statements, ${watched}.`, () =>
        [...this.statements].map(([kind, value]) => ({
          attributes: { 'svc.statement.kind': kind, 'svc.statement.source': 'executed' },
          value,
        })),
      ),
      durations('svc.operator.duration', `Duration of the work of operators, ${watched}.`, () =>
        [...this.operators].flatMap(([name, { open, exclusive }]): Point<DurationHistogram>[] => [
          { attributes: { 'svc.operator.name': name, phase: 'open' }, value: open },
          { attributes: { 'svc.operator.name': name, phase: 'exclusive' }, value: exclusive },
        ]),
      ),
      rowCounts(
        'svc.operator.rows',
        `Number of input and output rows of operators, ${watched}.`,
        () =>
          [...this.operators].flatMap(([name, work]): Point<RowHistogram>[] => [
            {
              attributes: { 'svc.operator.name': name, direction: 'input' },
              value: work.inputRows,
            },
            {
              attributes: { 'svc.operator.name': name, direction: 'output' },
              value: work.outputRows,
            },
          ]),
      ),
      counter(
        'svc.kv.operations',
        '{operations}',
        `Number of calls of the store, ${watched}.`,
        () => [
          [{ operation: 'get' }, kv.get],
          [{ operation: 'put' }, kv.put],
          [{ operation: 'delete' }, kv.delete],
          [{ operation: 'scan' }, kv.scan],
        ],
      ),
      counter('svc.kv.io', 'By', `Bytes of keys and values read and written, ${watched}.`, () => [
        [{ direction: 'read' }, kv.read],
        [{ direction: 'write' }, kv.written],
      ]),
      counter(
        'svc.kv.scan.rows',
        '{entries}',
        `Number of entries that scans passed, ${watched}.`,
        () => kv.iterated,
      ),
    ];
  }

  private addStatement({ plan, ms, isOver, operators }: StatementTrace): void {
    if (isOver) histogramOf(this.statements, plan.kind).add(ms / 1000);
    for (const { site, openMs, inclusiveMs, belowMs } of operators.records) {
      let work = this.operators.get(site.operator);
      if (work === undefined) {
        work = newWork();
        this.operators.set(site.operator, work);
      }
      work.open.add(openMs / 1000);
      work.exclusive.add(Math.max(0, inclusiveMs - belowMs) / 1000);
      work.inputRows.add(site.rowsIn);
      work.outputRows.add(site.rowsOut);
    }
  }
}

function newWork(): OperatorWork {
  return {
    open: new DurationHistogram(),
    exclusive: new DurationHistogram(),
    inputRows: new RowHistogram(),
    outputRows: new RowHistogram(),
  };
}

function histogramOf(all: Map<string, DurationHistogram>, name: string): DurationHistogram {
  let found = all.get(name);
  if (found === undefined) {
    found = new DurationHistogram();
    all.set(name, found);
  }
  return found;
}
