/** Commands that messages suggest, about the same project and database as the command that was given: pasted, they talk to the same one. */

import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Where a project and its database are. */
const flags = ['--config', '--file', '--env', '--database-url'];

/** Each command in backticks gets the flags that were given, as far as it has them and does not name them itself. */
export function completeCommands(
  text: string,
  program: CommandUnknownOpts,
  given: readonly string[],
): string {
  const values = givenValues(given);
  if (values.size === 0) return text;
  return text.replace(/`svc ([^`]*)`/g, (whole, words: string) => {
    // Help is about no database.
    if (words.endsWith('--help')) return whole;
    const command = commandOf(program, words.split(' '));
    // An argument names the file already.
    const takes = (flag: string) =>
      command.options.some(({ long }) => long === flag) &&
      !(flag === '--file' && command.registeredArguments.length > 0);
    const missing = [...values].filter(([flag]) => takes(flag) && !words.includes(flag));
    if (missing.length === 0) return whole;
    const added = missing.map(([flag, value]) => `${flag} ${shellWord(value)}`);
    return `\`svc ${[words, ...added].join(' ')}\``;
  });
}

/** As a shell takes it for one word. */
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
