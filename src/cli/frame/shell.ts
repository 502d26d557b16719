/** What a command has to do with: its output mode, the terminal, the environment, the clock. */

import { createInterface } from 'node:readline/promises';
import { systemWorld, type World } from '#base';
import { type Environment, environment, handleSignals } from '#server';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import { type OutputMode, onTerminal, outputMode } from './output.ts';
import { dropTypedAhead } from './type-ahead.ts';

export interface Shell {
  readonly mode: OutputMode;
  /** Somebody is there to answer questions. */
  readonly isInteractive: boolean;
  /** Progress may redraw its line. */
  readonly isTerminal: boolean;
  readonly env: Environment;
  readonly world: World;
  /** Asks on stderr, so that stdout stays data. Only when interactive. Rejects when Ctrl-C is the answer, and when the question is taken back. */
  ask(question: string, takenBack?: AbortSignal): Promise<string>;
  /** What was typed before is no answer to what is asked next. */
  dropTypedAhead(): void;
  /** Until it is disposed of, Ctrl-C rejects instead of ending the process; with `every`, so does each signal that stops a server, and SIGUSR1 and SIGUSR2 have no effect. */
  interruption(every?: 'every'): Interruption;
  /** A line for people on stderr. */
  say(line: string): void;
  /** Something worth knowing beside the result: said at once as text, kept in JSON mode, where an error has it in its document. */
  note(line: string): void;
  /** What was kept. */
  readonly notes: readonly string[];
  /** Redraws the last line of stderr; an empty one clears it. */
  redraw(line: string): void;
}

export interface Interruption extends Disposable {
  /** Rejects with a CommandFailure of code `interrupted`; never resolves. */
  readonly happened: Promise<never>;
  /** Aborted at the same moment, for what is still at work then. */
  readonly signal: AbortSignal;
}

/** To the beginning of the line, and the rest of it away. */
const clearLine = '\r\u001b[K';

/** The shell of this process. */
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
        // The terminal shows ^C, perhaps behind the line that progress draws.
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
      // A line that wraps would leave its upper part behind at each turn; ^C comes behind it.
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
