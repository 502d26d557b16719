/** Counts programs and queries, their durations and the rows that they read or change. */

import { DurationHistogram } from './histogram.ts';
import {
  type Attributes,
  counter,
  durations,
  type Instrument,
  type Point,
  upDownCounter,
} from './instrument.ts';

/** The counts of all programs with one outcome. */
class Outcome {
  readonly taken = new DurationHistogram();
  statements = 0;
  affectedRows = 0;
  resultRows = 0;
  readonly attributes: Attributes;

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }
}

export class ProgramMeter {
  private active = 0;
  private readonly done: Outcome;
  private readonly failed: Outcome;
  private readonly dryDone: Outcome;
  private readonly dryFailed: Outcome;
  private readonly others: ProgramMeter[] = [];

  constructor(transport: 'http' | 'postgres' = 'http') {
    this.done = outcomeOf('success', false, transport);
    this.failed = outcomeOf('error', false, transport);
    this.dryDone = outcomeOf('success', true, transport);
    this.dryFailed = outcomeOf('error', true, transport);
  }

  /** Adds the programs of another transport to the instruments of this meter. */
  include(other: ProgramMeter): void {
    this.others.push(other);
  }

  enter(): void {
    this.active++;
  }

  /** Records a program that succeeded. `statements` contains the number of affected rows of each statement. */
  leave(
    isDry: boolean,
    seconds: number,
    statements: readonly { readonly affected: number }[],
    resultRows: number,
  ) {
    this.active--;
    const outcome = isDry ? this.dryDone : this.done;
    outcome.taken.add(seconds);
    outcome.statements += statements.length;
    outcome.resultRows += resultRows;
    for (let i = 0; i < statements.length; i++) {
      outcome.affectedRows += statements[i]?.affected as number;
    }
  }

  /** Records a program that failed. `statements` is its number of statements, 0 if the program could not be parsed. */
  fail(isDry: boolean, seconds: number, statements: number): void {
    this.active--;
    const outcome = isDry ? this.dryFailed : this.failed;
    outcome.taken.add(seconds);
    outcome.statements += statements;
  }

  instruments(): readonly Instrument[] {
    return [
      upDownCounter(
        'svc.program.active',
        '{programs}',
        'Number of programs that were received and are not finished.',
        () => this.others.reduce((sum, { active }) => sum + active, this.active),
      ),
      counter('svc.program.executions', '{programs}', 'Number of finished programs.', () =>
        this.readings(({ taken }) => taken.count),
      ),
      durations(
        'svc.program.duration',
        'Duration from the request headers to the result of a program.',
        () => this.points(),
      ),
      counter(
        'svc.program.statements',
        '{statements}',
        'Number of statements of finished programs. A failed program counts with all of its statements.',
        () => this.readings(({ statements }) => statements),
      ),
      counter('svc.program.result.rows', '{rows}', 'Number of rows in results.', () =>
        this.readings(({ resultRows }) => resultRows),
      ),
      counter(
        'svc.program.affected.rows',
        '{rows}',
        'Number of rows that statements read, created, updated or deleted.',
        () => this.readings(({ affectedRows }) => affectedRows),
      ),
    ];
  }

  private readings(of: (outcome: Outcome) => number): (readonly [Attributes, number])[] {
    return this.outcomes().map((outcome) => [outcome.attributes, of(outcome)]);
  }

  private points(): readonly Point<DurationHistogram>[] {
    return this.outcomes().map(({ attributes, taken }) => ({ attributes, value: taken }));
  }

  /** Returns the outcomes to report. Dry runs are rare, so their outcomes are included only after the first one. */
  private outcomes(): readonly Outcome[] {
    const dry = [this.dryDone, this.dryFailed].filter(({ taken }) => taken.count > 0);
    const own = [this.done, this.failed, ...dry];
    return [...own, ...this.others.flatMap((other) => other.outcomes())];
  }
}

function outcomeOf(status: 'success' | 'error', isDry: boolean, transport: string): Outcome {
  return new Outcome({
    'svc.transport': transport,
    'svc.status': status,
    'svc.program.dry_run': isDry,
  });
}
