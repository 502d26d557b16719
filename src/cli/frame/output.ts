/** Where results and errors go: data to stdout, everything else to stderr, as text or as JSON (docs/cli.md). */

import { paintMessage } from './paint.ts';
import { wrappedMessage } from './wrap-line.ts';

export type OutputMode = 'text' | 'json';

/** What went wrong, for people and for programs. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
  /** What to do next, when there is something. */
  readonly hint?: string | undefined;
  /** Further members of the error in JSON. */
  readonly members?: object;
}

/** Read from the raw arguments, so that a command line that cannot be parsed is answered in the wanted form as well. */
export function outputMode(argv: readonly string[]): OutputMode {
  const at = argv.lastIndexOf('--output');
  const isJson =
    argv.includes('--json') || argv.includes('--output=json') || argv[at + 1] === 'json';
  return isJson ? 'json' : 'text';
}

/** What a result goes out with: its form, and in JSON what is worth knowing beside the result. */
interface ResultFrame {
  readonly mode: OutputMode;
  readonly notes: readonly string[];
}

export function printResult({ mode, notes }: ResultFrame, facts: object, text: string): void {
  const whole = notes.length === 0 ? facts : { ...facts, notes };
  printText(mode === 'json' ? JSON.stringify(whole, undefined, 2) : text);
}

/** Text that is data, as it is. */
export function printText(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printError(mode: OutputMode, { code, message, hint, members }: CommandError): void {
  if (mode === 'json') {
    const details = hint === undefined ? {} : { details: { hint } };
    const error = { code, message, ...details, ...members };
    printLine(JSON.stringify({ ok: false, error }, undefined, 2));
  } else {
    const line = `${paintMessage('red', 'error:')} ${message}`;
    printLine(onTerminal(hint === undefined ? line : `${line}\n${hint}`));
  }
}

/** As stderr shows it best. */
export function onTerminal(text: string): string {
  const { isTTY, columns } = process.stderr;
  return isTTY === true && columns > 0 ? wrappedMessage(text, columns) : text;
}

/** To stderr as it is: the runtime would colour it red on a terminal. */
function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
