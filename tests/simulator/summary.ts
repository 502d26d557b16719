/** What many seeds did, added up; parts of it from several processes make one. */

import { type FaultKind, faultKinds } from './faults.ts';
import type { Simulation } from './simulation.ts';

interface FaultTotal {
  readonly seeds: number;
  readonly occasions: number;
  readonly activations: number;
}

/** All of a summary, as plain data. */
export interface SummaryData {
  readonly seeds: number;
  readonly lost: number;
  readonly traceHash: number;
  readonly counts: readonly (readonly [string, number])[];
  readonly faults: readonly (readonly [FaultKind, FaultTotal])[];
}

const none: FaultTotal = { seeds: 0, occasions: 0, activations: 0 };

export class Summary {
  seeds = 0;
  private lost = 0;
  /** Of all seeds, in whatever order they came. */
  private traceHash = 0;
  private readonly counts = new Map<string, number>();
  private readonly faults = new Map<FaultKind, FaultTotal>();

  add(seed: number, simulation: Simulation): void {
    const { scheduler, history, operations, openings, recoveries, errors } = simulation;
    this.merge({
      seeds: 1,
      lost: history.lost,
      traceHash: Bun.hash.crc32(`${seed} ${scheduler.traceHash}`),
      counts: [
        ['operations', operations],
        ['commits', history.commits],
        ['acknowledged commits', history.acknowledged],
        ['batches on disk', history.spilled],
        ['large commits', history.large],
        ['openings', openings],
        ['recoveries', recoveries],
        ['views of readers', simulation.readings],
        ['takeovers', simulation.takeovers],
        ['commits of the corpus', simulation.captures],
        ['errors with an excuse', errors],
        ['events', scheduler.events],
      ],
      faults: [...simulation.faults.counts].map(([kind, { occasions, activations }]) => [
        kind,
        { seeds: Math.sign(activations), occasions, activations },
      ]),
    });
  }

  merge({ seeds, lost, traceHash, counts, faults }: SummaryData): void {
    this.seeds += seeds;
    this.lost += lost;
    this.traceHash = (this.traceHash + traceHash) >>> 0;
    for (const [name, count] of counts) this.counts.set(name, (this.counts.get(name) ?? 0) + count);
    for (const [kind, more] of faults) {
      const total = this.faults.get(kind) ?? none;
      this.faults.set(kind, {
        seeds: total.seeds + more.seeds,
        occasions: total.occasions + more.occasions,
        activations: total.activations + more.activations,
      });
    }
  }

  data(): SummaryData {
    const { seeds, lost, traceHash, counts, faults } = this;
    return { seeds, lost, traceHash, counts: [...counts], faults: [...faults] };
  }

  lines(): string[] {
    const lines = [line('seeds', this.seeds)];
    for (const [name, count] of this.counts) lines.push(line(name, count));
    lines.push(line('acknowledged commits lost', this.lost));
    lines.push(`${'trace hash'.padEnd(28)} ${this.traceHash.toString(16).padStart(8, '0')}`);
    lines.push('', `${'fault'.padEnd(28)}  activations    occasions      rate    seeds`);
    for (const kind of faultKinds) {
      const total = this.faults.get(kind);
      if (total !== undefined) lines.push(this.faultLine(kind, total));
    }
    return lines;
  }

  private faultLine(kind: FaultKind, { seeds, occasions, activations }: FaultTotal): string {
    const rate = occasions === 0 ? 0 : (100 * activations) / occasions;
    const share = this.seeds === 0 ? 0 : (100 * seeds) / this.seeds;
    return [
      kind.padEnd(28),
      String(activations).padStart(12),
      String(occasions).padStart(12),
      `${rate.toFixed(3)}%`.padStart(9),
      `${share.toFixed(1)}%`.padStart(8),
    ].join(' ');
  }
}

function line(name: string, count: number): string {
  return `${name.padEnd(28)} ${String(count).padStart(12)}`;
}
