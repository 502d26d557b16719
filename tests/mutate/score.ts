/** How many of the drawn slips were noticed, or argued to be equivalent: in all, by room, and by part of the storage engine. */

import type { Slip } from './slip.ts';
import type { Verdict } from './trial.ts';

interface Tally {
  drawn: number;
  noticed: number;
  equivalent: number;
}

export class Score {
  private readonly tallies = new Map<string, Tally>();

  add({ file }: Slip, { kind }: Verdict): void {
    if (kind === 'refused') return;
    for (const name of ['all', ...roomsOf(file)]) {
      const tally = this.tallies.get(name) ?? { drawn: 0, noticed: 0, equivalent: 0 };
      this.tallies.set(name, tally);
      tally.drawn++;
      if (kind === 'noticed') tally.noticed++;
      if (kind === 'equivalent') tally.equivalent++;
    }
  }

  lines(): string[] {
    return [...this.tallies]
      .sort(([a], [b]) => Number(a === 'all') - Number(b === 'all') || (a < b ? -1 : 1))
      .map(([name, { drawn, noticed, equivalent }]) => {
        const share = ((noticed + equivalent) / drawn).toFixed(3);
        return `${name.padEnd(24)} ${share}  ${noticed} noticed, ${equivalent} equivalent, of ${drawn}`;
      });
  }
}

/** A room; a part of the storage engine counts as one, too. */
function roomsOf(file: string): string[] {
  const [, room = '', part = ''] = file.split('/');
  if (room !== 'storage' || part.endsWith('.ts')) return [room.replace(/\.ts$/, '')];
  return [room, `${room}/${part}`];
}
