/** What a command has to do with: its output mode, the terminal, the environment, the clock. */

import { createInterface } from 'node:readline/promises';
import { systemWorld, type World } from '#base';
import { type Environment, environment } from '#server';
import { type OutputMode, outputMode } from './output.ts';

export interface Shell {
  readonly mode: OutputMode;
  /** Somebody is there to answer questions. */
  readonly isInteractive: boolean;
  /** Progress may redraw its line. */
  readonly isTerminal: boolean;
  readonly env: Environment;
  readonly world: World;
  /** Asks on stderr, so that stdout stays data. Only when interactive. */
  ask(question: string): Promise<string>;
  /** A line for people on stderr. */
  say(line: string): void;
  /** Redraws the last line of stderr; an empty one clears it. */
  redraw(line: string): void;
}

/** The shell of this process. */
export function processShell(argv: readonly string[]): Shell {
  const isInteractive =
    process.stdin.isTTY === true &&
    process.stderr.isTTY === true &&
    !argv.includes('--non-interactive');
  return {
    mode: outputMode(argv),
    isInteractive,
    isTerminal: process.stderr.isTTY === true,
    env: environment(),
    world: systemWorld(),
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
    say: (line) => console.error(line),
    redraw: (line) => void process.stderr.write(`\r\u001b[K${line}`),
  };
}

/** `[y/N]`: anything but yes is no. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await shell.ask(`${question} [y/N] `));
}
