/** How many of the drawn mutations were noticed, or argued to be equivalent: in all, by module, and by part of the storage engine. */

import type { Mutation } from './mutation.ts';
import type { Verdict } from './trial.ts';

interface Tally {
  drawn: number;
  byModule: number;
  byLarger: number;
  equivalent: number;
}

const none: Readonly<Tally> = { drawn: 0, byModule: 0, byLarger: 0, equivalent: 0 };

export class Score {
  private readonly tallies = new Map<string, Tally>();

  add({ file }: Mutation, verdict: Verdict): void {
    if (verdict.kind === 'refused') return;
    for (const name of ['all', ...modulesOf(file)]) {
      const tally = this.tallies.get(name) ?? { ...none };
      this.tallies.set(name, tally);
      tally.drawn++;
      if (verdict.kind === 'equivalent') tally.equivalent++;
      if (verdict.kind === 'noticed') tally[verdict.isByModule ? 'byModule' : 'byLarger']++;
    }
  }

  lines(): string[] {
    return [...this.tallies]
      .sort(([a], [b]) => Number(a === 'all') - Number(b === 'all') || (a < b ? -1 : 1))
      .map(([name, { drawn, byModule, byLarger, equivalent }]) => {
        const share = ((byModule + byLarger + equivalent) / drawn).toFixed(3);
        return `${name.padEnd(24)} ${share}  ${byModule} noticed by the module, ${byLarger} by a larger suite, ${equivalent} equivalent, of ${drawn}`;
      });
  }
}

/** A module; a part of the storage engine counts as one, too. */
function modulesOf(file: string): string[] {
  const [, module = '', part = ''] = file.split('/');
  if (module !== 'storage' || part.endsWith('.ts')) return [module.replace(/\.ts$/, '')];
  return [module, `${module}/${part}`];
}
