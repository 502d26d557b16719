/** The command line before its command reads it: global flags stand anywhere, `help` in front asks for help, and each word up to the command is one. */

import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { nearestOf } from '#base';
import { type CommandFailure, usageFailure } from './command-failure.ts';

interface CommandLine {
  /** Without global flags. */
  readonly argv: readonly string[];
  /** `svc schema diff`. */
  readonly path: string;
}

const outputs = ['text', 'json'];

/** Throws a CommandFailure for an output that there is not, for a word that is no command, and for an empty argument. */
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

/** What the flags say is read from the raw arguments (`outputMode`), so that an error of this very line has the wanted form. */
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

/** `schema --env staging status` is `schema status --env staging`: flags between the words of a command are those of the command. */
function commandFirst(command: readonly string[], words: readonly string[]): readonly string[] {
  // A flag in front of all of it is one of the program.
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

/** Words that are neither flags nor their values. */
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
  /** Has no such command below. */
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
  const hint = `there are ${names.join(', ')}; \`${path} --help\` says what they do`;
  return usageFailure(`unknown command '${word}' of ${path}.${guess}`, hint);
}

/** `migrate` is one of `schema`. */
function below(command: CommandUnknownOpts, word: string): string | undefined {
  const group = command.commands.find(({ commands }) => commands.some((it) => it.name() === word));
  return group && `${group.name()} ${word}`;
}

/** `schema validate` is `svc validate`. */
function elsewhere(program: CommandUnknownOpts, word: string): string | undefined {
  const isThere = program.commands.some((command) => command.name() === word);
  const path = isThere ? word : below(program, word);
  return path && `${program.name()} ${path}`;
}
