/** What many seeds did, added up. */

import { type FaultKind, faultKinds } from './faults.ts';
import type { Simulation } from './simulation.ts';

interface FaultTotal {
  seeds: number;
  occasions: number;
  activations: number;
}

export class Summary {
  seeds = 0;
  private lost = 0;
  private traceHash = 0;
  private readonly counts = new Map<string, number>();
  private readonly faults = new Map<FaultKind, FaultTotal>();

  add(simulation: Simulation): void {
    const { scheduler, history, operations, openings, recoveries, errors } = simulation;
    this.seeds++;
    this.lost += history.lost;
    this.traceHash = Bun.hash.crc32(`${scheduler.traceHash}`, this.traceHash);
    this.count('operations', operations);
    this.count('commits', history.commits);
    this.count('acknowledged commits', history.acknowledged);
    this.count('openings', openings);
    this.count('recoveries', recoveries);
    this.count('views of readers', simulation.readings);
    this.count('takeovers', simulation.takeovers);
    this.count('errors with an excuse', errors);
    this.count('events', scheduler.events);
    for (const kind of faultKinds) {
      const count = simulation.faults.counts.get(kind) ?? { occasions: 0, activations: 0 };
      const total = this.faults.get(kind) ?? { seeds: 0, occasions: 0, activations: 0 };
      this.faults.set(kind, {
        seeds: total.seeds + Math.sign(count.activations),
        occasions: total.occasions + count.occasions,
        activations: total.activations + count.activations,
      });
    }
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

  private count(name: string, by: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
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
