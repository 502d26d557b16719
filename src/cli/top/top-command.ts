/** `svc top`: shows the activity of a server, continuously updated (docs/monitoring.md). */

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

/** Time between two samples of a continuous view. */
const liveMs = 1000;

/** Time between the two samples of a single view: long enough for meaningful rates. */
const onceMs = 200;

/** Width of the output without a terminal. */
const plainColumns = 120;

export function topCommand(shell: Shell) {
  return databaseCommand('top')
    .description(
      'Show the activity of a server: throughput, latency, execution slots, memory, caches and compaction.',
    )
    .addOption(
      new Option(
        '--interval-ms <n>',
        `time between two samples (default ${liveMs}; ${onceMs} if the view is printed once)`,
      ).argParser(intervalOf),
    )
    .option('--once', 'take two samples, print the difference and exit')
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

/** Shows the view until Ctrl-C. Without a terminal and in JSON mode, it prints one view. */
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
      screen.draw([...lines, '', 'Press Ctrl-C to stop']);
      [before, beforeMs] = [now, nowMs];
    }
  } catch (error) {
    // Ctrl-C is the normal end of a view and not a failure.
    if (!(signal.aborted && error instanceof CommandFailure)) throw error;
  }
}

function intervalOf(text: string): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 100 && value <= 3_600_000) return value;
  throw new InvalidArgumentError('Expected an integer from 100 to 3600000.');
}
