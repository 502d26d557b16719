/**
 * Completes the commands that messages suggest with flags for the project and database of the current command, so that a pasted command addresses the same
 * database.
 */

import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Flags that select a project and its database. */
const flags = ['--config', '--file', '--env', '--database-url'];

/** Adds the given flags to each command in backticks, unless the command does not have the flag or sets it itself. */
export function completeCommands(
  text: string,
  program: CommandUnknownOpts,
  given: readonly string[],
): string {
  const values = givenValues(given);
  if (values.size === 0) return text;
  return text.replace(/`svc ([^`]*)`/g, (whole, words: string) => {
    // Help does not address a database.
    if (words.endsWith('--help')) return whole;
    const command = commandOf(program, words.split(' '));
    // The argument already names the file.
    const takes = (flag: string) =>
      command.options.some(({ long }) => long === flag) &&
      !(flag === '--file' && command.registeredArguments.length > 0);
    const missing = [...values].filter(([flag]) => takes(flag) && !words.includes(flag));
    if (missing.length === 0) return whole;
    const added = missing.map(([flag, value]) => `${flag} ${shellWord(value)}`);
    return `\`svc ${[words, ...added].join(' ')}\``;
  });
}

/** Quotes a text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function givenValues(given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  given.forEach((word, i) => {
    const [name = '', ...rest] = word.split('=');
    const flag = name === '-f' ? '--file' : name;
    const value = rest.length > 0 ? rest.join('=') : given[i + 1];
    if (flags.includes(flag) && value !== undefined) values.set(flag, value);
  });
  return values;
}

function commandOf(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}
