/** `svc top`: what a server does, live (docs/monitoring.md). */

import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { pause } from '#base';
import { type Samples, scrape } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { printText } from '../frame/output.ts';
import { paintOutput } from '../frame/paint.ts';
import { Screen } from '../frame/screen.ts';
import type { Shell } from '../frame/shell.ts';
import { anyServer } from '../project/any-server.ts';
import { databaseCommand } from '../project/project-options.ts';
import { topFacts } from './facts.ts';
import { Rates } from './rates.ts';
import { topLines } from './view.ts';

/** Time between two readings of a continuous view. */
const liveMs = 1000;

/** Time between the two readings of a single view: long enough for meaningful rates. */
const onceMs = 200;

/** Of what is printed where there is no terminal. */
const plainColumns = 120;

export function topCommand(shell: Shell) {
  return databaseCommand('top')
    .description('Show what a server does: throughput, latency, slots, memory, caches, merges.')
    .addOption(
      new Option(
        '--interval-ms <n>',
        `time between two readings in milliseconds (default ${liveMs}; ${onceMs} if the view is printed once)`,
      ).argParser(intervalOf),
    )
    .option('--once', 'look twice, print what came in between, and end')
    .action(async ({ intervalMs, once = false, ...flags }) => {
      const { url, connection } = anyServer(shell, flags);
      const look = () => scrape(connection);
      await watch(shell, { url, look, intervalMs, isOnce: once });
    });
}

interface Watched {
  readonly url: string;
  readonly look: () => Promise<Samples>;
  readonly intervalMs: number | undefined;
  readonly isOnce: boolean;
}

/** Until Ctrl-C; without a terminal, and in JSON, one look. */
async function watch(shell: Shell, { url, look, intervalMs, isOnce }: Watched): Promise<void> {
  const { clock, scheduler } = shell.world;
  using screen = isOnce || shell.mode === 'json' ? undefined : Screen.of();
  const waitMs = intervalMs ?? (screen === undefined ? onceMs : liveMs);
  using interruption = shell.interruption('every');
  const { happened, signal } = interruption;
  try {
    let before = await Promise.race([look(), happened]);
    let beforeMs = clock.monotonicMs();
    for (;;) {
      await Promise.race([pause(scheduler, waitMs), happened]);
      const now = await Promise.race([look(), happened]);
      const nowMs = clock.monotonicMs();
      const facts = topFacts(new Rates(before, now, (nowMs - beforeMs) / 1000));
      if (shell.mode === 'json') return printText(JSON.stringify({ url, ...facts }, undefined, 2));
      const columns = screen?.columns ?? plainColumns;
      const lines = topLines(`svc top   ${url}`, facts, columns, paintOutput);
      if (screen === undefined) return printText(lines.join('\n'));
      screen.draw([...lines, '', 'Ctrl-C ends it']);
      [before, beforeMs] = [now, nowMs];
    }
  } catch (error) {
    // Ctrl-C is how a view ends: that is no failure.
    if (!(signal.aborted && error instanceof CommandFailure)) throw error;
  }
}

function intervalOf(text: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 100 && value <= 3_600_000) return value;
  throw new InvalidArgumentError('a whole number from 100 to 3600000 is expected.');
}
