/** The environment of a command: its output mode, the terminal, the environment variables and the clock. */

import { createInterface } from 'node:readline/promises';
import { systemWorld, type World } from '#base';
import { type Environment, environment, handleSignals } from '#server';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import { type OutputMode, onTerminal, outputMode } from './output.ts';
import { dropTypedAhead } from './type-ahead.ts';

export interface Shell {
  readonly mode: OutputMode;
  /** Whether each JSON document is printed as one line, because any number of them can follow. */
  readonly isStream?: boolean;
  /** Whether the command can ask questions at the terminal. */
  readonly isInteractive: boolean;
  /** Whether progress may redraw its line on stderr. */
  readonly isTerminal: boolean;
  readonly env: Environment;
  readonly world: World;
  /**
   * Asks a question on stderr, so that stdout contains only data. May be called only if `isInteractive`. Rejects if the user presses Ctrl-C or `takenBack` is
   * aborted.
   */
  ask(question: string, takenBack?: AbortSignal): Promise<string>;
  /** Discards input that was typed before the next question. */
  dropTypedAhead(): void;
  /**
   * Until the result is disposed, Ctrl-C rejects `happened` instead of ending the process. With `every`, each signal that stops a server does so too, and
   * SIGUSR1 and SIGUSR2 have no effect.
   */
  interruption(every?: 'every'): Interruption;
  /** Prints a line for people on stderr. */
  say(line: string): void;
  /** Reports additional information. In text mode it is printed immediately. In JSON mode it becomes a member of the document of the result or the error. */
  note(line: string): void;
  /** The notes that were stored in JSON mode. */
  readonly notes: readonly string[];
  /** Redraws the last line of stderr. An empty line clears it. */
  redraw(line: string): void;
}

export interface Interruption extends Disposable {
  /** Rejects with a CommandFailure of code `interrupted`. Never resolves. */
  readonly happened: Promise<never>;
  /** Aborted at the same moment, for work that is still running. */
  readonly signal: AbortSignal;
}

/** Moves to the beginning of the line and clears it. */
const clearLine = '\r\u001b[K';

/** Returns the shell of this process. */
export function processShell(argv: readonly string[]): Shell {
  const isInteractive =
    process.stdin.isTTY === true &&
    process.stderr.isTTY === true &&
    !argv.includes('--non-interactive');
  const mode = outputMode(argv);
  const notes: string[] = [];
  let isDrawn = false;
  const say = (line: string) => {
    process.stderr.write(`${isDrawn ? clearLine : ''}${onTerminal(line)}\n`);
    isDrawn = false;
  };
  return {
    mode,
    isInteractive,
    isTerminal: process.stderr.isTTY === true,
    env: environment(),
    world: systemWorld(),
    async ask(question, takenBack) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      const { promise: interrupted, reject } = Promise.withResolvers<never>();
      lines.once('SIGINT', () => {
        process.stderr.write('\n');
        reject(interruptedFailure(unanswered));
      });
      lines.once('close', () => reject(interruptedFailure(unanswered)));
      const takeBack = () => lines.close();
      takenBack?.addEventListener('abort', takeBack);
      try {
        return await Promise.race([lines.question(question), interrupted]);
      } finally {
        takenBack?.removeEventListener('abort', takeBack);
        lines.close();
      }
    },
    dropTypedAhead,
    interruption(every) {
      const { promise: happened, reject } = Promise.withResolvers<never>();
      const work = new AbortController();
      const stop = () => {
        // The terminal shows ^C, possibly after the line that progress draws.
        if (process.stderr.isTTY === true) process.stderr.write(clearLine);
        isDrawn = false;
        work.abort();
        reject(interruptedFailure());
      };
      happened.catch(() => {});
      if (every !== undefined) {
        const handled = handleSignals({ stop });
        const end = () => handled[Symbol.dispose]();
        return { happened, signal: work.signal, [Symbol.dispose]: end };
      }
      process.once('SIGINT', stop);
      const end = () => void process.off('SIGINT', stop);
      return { happened, signal: work.signal, [Symbol.dispose]: end };
    },
    say,
    note: (line) => void (mode === 'json' ? notes.push(line) : say(line)),
    notes,
    redraw(line) {
      // A line that wraps would leave its upper part behind at each redraw. ^C appears after the line.
      const width = Math.max(1, (process.stderr.columns || 80) - 1 - '^C'.length);
      process.stderr.write(`${clearLine}${line.slice(0, width)}`);
      isDrawn = line !== '';
    },
  };
}

/** Commands ask before they change anything. */
const unanswered = 'interrupted at the question: nothing was changed';

export function interruptedFailure(message = 'interrupted'): CommandFailure {
  return new CommandFailure({
    code: 'interrupted',
    message,
    exitCode: exitCodes.interrupted,
  });
}
