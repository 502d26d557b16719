/** How many of the drawn slips were noticed, or argued to be equivalent: in all, by room, and by part of the storage engine. */

import type { Slip } from './slip.ts';
import type { Verdict } from './trial.ts';

interface Tally {
  drawn: number;
  byRoom: number;
  byLarger: number;
  equivalent: number;
}

const none: Readonly<Tally> = { drawn: 0, byRoom: 0, byLarger: 0, equivalent: 0 };

export class Score {
  private readonly tallies = new Map<string, Tally>();

  add({ file }: Slip, verdict: Verdict): void {
    if (verdict.kind === 'refused') return;
    for (const name of ['all', ...roomsOf(file)]) {
      const tally = this.tallies.get(name) ?? { ...none };
      this.tallies.set(name, tally);
      tally.drawn++;
      if (verdict.kind === 'equivalent') tally.equivalent++;
      if (verdict.kind === 'noticed') tally[verdict.isByRoom ? 'byRoom' : 'byLarger']++;
    }
  }

  lines(): string[] {
    return [...this.tallies]
      .sort(([a], [b]) => Number(a === 'all') - Number(b === 'all') || (a < b ? -1 : 1))
      .map(([name, { drawn, byRoom, byLarger, equivalent }]) => {
        const share = ((byRoom + byLarger + equivalent) / drawn).toFixed(3);
        return `${name.padEnd(24)} ${share}  ${byRoom} noticed by the room, ${byLarger} by a larger suite, ${equivalent} equivalent, of ${drawn}`;
      });
  }
}

/** A room; a part of the storage engine counts as one, too. */
function roomsOf(file: string): string[] {
  const [, room = '', part = ''] = file.split('/');
  if (room !== 'storage' || part.endsWith('.ts')) return [room.replace(/\.ts$/, '')];
  return [room, `${room}/${part}`];
}
