/** Prints results and errors: data to stdout, everything else to stderr, as text or as JSON (docs/cli.md). */

import { paintMessage } from './paint.ts';
import { wrappedMessage } from './wrap-line.ts';

export type OutputMode = 'text' | 'json';

/** An error, for people and for programs. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
  /** The remedy, if there is one. */
  readonly hint?: string | undefined;
  /** Additional members of the error in JSON. */
  readonly members?: object;
}

/** Returns the output mode of the raw arguments, so that the error of an unparsable command line also has the requested format. */
export function outputMode(argv: readonly string[]): OutputMode {
  const at = argv.lastIndexOf('--output');
  const isJson =
    argv.includes('--json') || argv.includes('--output=json') || argv[at + 1] === 'json';
  return isJson ? 'json' : 'text';
}

/** The format of results and errors. */
interface OutputFrame {
  readonly mode: OutputMode;
  /** Whether the command prints any number of JSON documents, so that each is one line. */
  readonly isStream?: boolean;
}

/** The format of a result, and the notes that accompany it in JSON. */
interface ResultFrame extends OutputFrame {
  readonly notes: readonly string[];
}

export function printResult(frame: ResultFrame, facts: object, text: string): void {
  const { mode, notes } = frame;
  const whole = notes.length === 0 ? facts : { ...facts, notes };
  printText(mode === 'json' ? jsonOf(frame, whole) : text);
}

function jsonOf({ isStream = false }: OutputFrame, document: object): string {
  return JSON.stringify(document, undefined, isStream ? undefined : 2);
}

/** Prints data verbatim to stdout, with a newline at the end. */
export function printText(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printError(frame: OutputFrame, error: CommandError): void {
  const { code, message, hint, members } = error;
  if (frame.mode === 'json') {
    const details = hint === undefined ? {} : { details: { hint } };
    const shown = { code, message, ...details, ...members };
    printLine(jsonOf(frame, { ok: false, error: shown }));
  } else {
    const line = `${paintMessage('red', 'error:')} ${message}`;
    printLine(onTerminal(hint === undefined ? line : `${line}\n${hint}`));
  }
}

/** Wraps a text at the width of stderr if it is a terminal. */
export function onTerminal(text: string): string {
  const { isTTY, columns } = process.stderr;
  return isTTY === true && columns > 0 ? wrappedMessage(text, columns) : text;
}

/** Writes to stderr without `console.error`, which the runtime would color red on a terminal. */
function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
