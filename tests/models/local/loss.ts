/** Everybody is killed, and something vanishes while nobody runs: one name, or the end of the log below what the newest manifest says of it. */

import { isThere, newestOf, noSegment, type State, withSegment } from './state.ts';

export function isIntact({ left, setting }: State): boolean {
  return left.losses === setting.bounds.losses;
}

export function lossSteps(s: State, step: (label: string, change: (t: State) => void) => void) {
  if (s.left.losses === 0 || s.writers.every(({ at }) => at === 'start')) return;
  const lose = (what: string, change: (t: State) => void): void =>
    step(`LOST AT REST: ${what}`, (t) => {
      change(t);
      t.left = { ...t.left, losses: t.left.losses - 1 };
      t.writers = t.writers.map((it) => (it.at === 'start' ? it : { ...it, at: 'dead' }));
    });
  for (const [n, name] of s.epochs.entries()) {
    if (!isThere(name)) continue;
    lose(`epoch/${n + 1}`, (t) => {
      t.epochs = t.epochs.with(n, 'absent');
    });
  }
  for (const [n, { name }] of s.segments.entries()) {
    if (isThere(name)) lose(`segment ${n + 1}`, (t) => withSegment(t, n + 1, noSegment));
  }
  for (const [n, { epoch, number }] of s.manifests.entries()) {
    lose(`manifest/${epoch}-${number}`, (t) => {
      t.manifests = t.manifests.toSpliced(n, 1);
    });
  }
  loseTail(s, lose);
}

/** Above that, a record that is gone looks like one that its writer did not get to finish. */
function loseTail(s: State, lose: (what: string, change: (t: State) => void) => void): void {
  const { epoch, reach } = newestOf(s.manifests);
  const segment = s.segments[epoch - 1] ?? noSegment;
  if (reach <= 0 || segment.records.length !== reach) return;
  lose(`the last record of segment ${epoch}`, (t) =>
    withSegment(t, epoch, { ...segment, records: segment.records.slice(0, -1) }),
  );
}
