/**
 * Prepares the command line before its command parses it. Global flags can be anywhere, a leading `help` requests help, and each word up to the command must be
 * a command.
 */

import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { nearestOf } from '#base';
import { type CommandFailure, usageFailure } from './command-failure.ts';

interface CommandLine {
  /** The arguments without global flags. */
  readonly argv: readonly string[];
  /** Path of the command, such as `svc schema diff`. */
  readonly path: string;
}

const outputs = ['text', 'json'];

/** Throws a CommandFailure for an unknown output format, an unknown command or an empty argument. */
export function readCommandLine(
  program: CommandUnknownOpts,
  given: readonly string[],
): CommandLine {
  const argv = withoutGlobals(given);
  const isQuestion = argv[0] === 'help';
  const words = isQuestion ? argv.slice(1) : argv;
  const path = pathOf(program, words);
  if (operandsOf(program, words).includes('')) {
    throw usageFailure('an argument is empty', `\`${path} --help\` lists the expected arguments`);
  }
  const ordered = commandFirst(path.split(' ').slice(1), words);
  return { argv: isQuestion ? [...ordered, '--help'] : ordered, path };
}

/** Removes the global flags. `outputMode` reads their values from the raw arguments, so that an error on this line also has the requested format. */
function withoutGlobals(given: readonly string[]): readonly string[] {
  const rest: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const word = given[i] as string;
    if (word === '--') return [...rest, ...given.slice(i)];
    if (word === '--json' || word === '--non-interactive') continue;
    if (word === '--output') checkOutput(given[++i]);
    else if (word.startsWith('--output=')) checkOutput(word.slice('--output='.length));
    else rest.push(word);
  }
  return rest;
}

function checkOutput(value: string | undefined): void {
  if (value !== undefined && outputs.includes(value)) return;
  const what = value === undefined ? '--output needs a value' : `--output is "${value}"`;
  throw usageFailure(`${what}: expected one of ${outputs.join(', ')}`);
}

/** Moves flags between the words of a command behind it: `schema --env staging status` becomes `schema status --env staging`. */
function commandFirst(command: readonly string[], words: readonly string[]): readonly string[] {
  // A flag before all words of the command belongs to the program.
  if (command.length < 2 || words[0] !== command[0]) return words;
  const rest = [...words];
  for (const word of command) rest.splice(rest.indexOf(word), 1);
  return [...command, ...rest];
}

function pathOf(program: CommandUnknownOpts, words: readonly string[]): string {
  let command = program;
  let path = program.name();
  for (const word of operandsOf(program, words)) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) throw unknown(program, { path, word, command });
    command = next;
    path += ` ${word}`;
  }
  return path;
}

/** Returns the words that are neither flags nor values of flags. */
function operandsOf(program: CommandUnknownOpts, words: readonly string[]): readonly string[] {
  const operands: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (word === '--') break;
    if (!word.startsWith('-')) operands.push(word);
    else if (!word.includes('=') && takesValue(program, word)) i++;
  }
  return operands;
}

function takesValue(command: CommandUnknownOpts, flag: string): boolean {
  const own = command.options.some(
    ({ long, short, required }) => required && (long === flag || short === flag),
  );
  return own || command.commands.some((child) => takesValue(child, flag));
}

interface Unknown {
  readonly path: string;
  readonly word: string;
  /** The command that has no such subcommand. */
  readonly command: CommandUnknownOpts;
}

function unknown(program: CommandUnknownOpts, { path, word, command }: Unknown): CommandFailure {
  const names = command.commands.map((child) => child.name());
  const near =
    names.find((name) => word.length > 1 && name.startsWith(word)) ??
    nearestOf(word, names) ??
    below(command, word) ??
    (command === program ? undefined : elsewhere(program, word));
  const guess = near === undefined ? '' : ` Did you mean ${near}?`;
  const hint = `available: ${names.join(', ')}; \`${path} --help\` describes them`;
  return usageFailure(`unknown command '${word}' of ${path}.${guess}`, hint);
}

/** Finds a subcommand of a group: `migrate` belongs to `schema`. */
function below(command: CommandUnknownOpts, word: string): string | undefined {
  const group = command.commands.find(({ commands }) => commands.some((it) => it.name() === word));
  return group && `${group.name()} ${word}`;
}

/** Finds a command elsewhere in the tree: `schema validate` should be `svc validate`. */
function elsewhere(program: CommandUnknownOpts, word: string): string | undefined {
  const isThere = program.commands.some((command) => command.name() === word);
  const path = isThere ? word : below(program, word);
  return path && `${program.name()} ${path}`;
}
