/** Manual pages that are generated from the command tree: `svc.1`, and one page per command, such as `svc-schema-diff.1`. */

import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { version } from '#base';
import { globalsHeading } from './frame/add-globals.ts';
import { commandExits, exitMeanings } from './frame/exit-codes.ts';
import { processShell } from './frame/shell.ts';
import { commandTree } from './main.ts';

/** Returns the pages by file name, in the macros of man(7). `date` (YYYY-MM-DD) is printed at the foot of each page. */
export function manPages(date: string): ReadonlyMap<string, string> {
  const program = commandTree(processShell([]), () => {});
  return new Map(pagesOf(program, '', date));
}

function pagesOf(
  command: CommandUnknownOpts,
  above: string,
  date: string,
): (readonly [string, string])[] {
  const path = `${above}${command.name()}`;
  return [
    [fileOf(path), page(command, path, date)],
    ...command.commands.flatMap((child) => pagesOf(child, `${path} `, date)),
  ];
}

const nameOf = (path: string): string => path.replaceAll(' ', '-');
const fileOf = (path: string): string => `${nameOf(path)}.1`;

function page(command: CommandUnknownOpts, path: string, date: string): string {
  const description = command.description();
  const [summary = ''] = description.split(/[.;:](?:\s|$)/);
  const { registeredArguments: named, commands } = command;
  const words = named.map((it) => (it.required ? `<${it.name()}>` : `[${it.name()}]`));
  const synopsis = [...words, commands.length > 0 ? '[command]' : ''].filter((it) => it !== '');
  const lines = [
    `.TH ${nameOf(path).toUpperCase()} 1 ${date} "svc ${version}" "svc manual"`,
    '.SH NAME',
    `${escaped(nameOf(path))} \\- ${escaped(summary)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(path)}`,
    escaped(['[options]', ...synopsis].join(' ')),
    '.SH DESCRIPTION',
    escaped(description),
    ...commandList(commands, path),
    ...section(
      'ARGUMENTS',
      named.map((it) => entry(it.name(), it.description, it.argChoices)),
    ),
    ...optionLines(command),
    ...exitLines(path),
    '.SH SEE ALSO',
    ...seeAlso(command, path),
  ];
  return `${lines.join('\n')}\n`;
}

function commandList(commands: readonly CommandUnknownOpts[], path: string): string[] {
  const entries = commands.map((child) => entry(`${path} ${child.name()}`, child.description()));
  return section('COMMANDS', entries);
}

/** Returns one subsection for each group of options, as in the help. */
function optionLines(command: CommandUnknownOpts): string[] {
  const shown = command.createHelp().visibleOptions(command);
  const groups = Map.groupBy(shown, ({ helpGroupHeading = '' }: Option) =>
    headingOf(helpGroupHeading),
  );
  if (groups.size === 0) return [];
  return [
    '.SH OPTIONS',
    ...[...groups].flatMap(([heading, options]) => [
      ...(groups.size > 1 ? [`.SS ${heading}`] : []),
      ...options.map(({ flags, description, argChoices }) => entry(flags, description, argChoices)),
    ]),
  ];
}

function headingOf(heading: string): string {
  if (heading === globalsHeading) return 'Options of every command';
  return heading.replace(/:$/, '') || 'Options';
}

function exitLines(path: string): string[] {
  const exits = commandExits[path]?.split(/ · (?=\d)/).map((exit) => exit.split(/ (.*)/s));
  const known = path === 'svc' ? exitMeanings.map(([code, text]) => [String(code), text]) : exits;
  return section(
    'EXIT STATUS',
    (known ?? []).map(([code = '', text = '']) => entry(code, text || 'done')),
  );
}

function seeAlso(command: CommandUnknownOpts, path: string): string[] {
  const parent = path.split(' ').slice(0, -1).join(' ');
  const related = [
    ...(parent === '' ? [] : [parent]),
    ...command.commands.map((child) => `${path} ${child.name()}`),
  ];
  const references = related.map((it, i) => {
    const end = i === related.length - 1 ? '(1)' : '(1),';
    return `.BR ${escaped(nameOf(it))} ${end}`;
  });
  const documentation = 'The executable contains the documentation: svc docs lists its pages.';
  return [...references, ...(references.length > 0 ? ['.PP'] : []), documentation];
}

function section(title: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`.SH ${title}`, ...entries];
}

function entry(term: string, description: string, choices?: readonly string[]): string {
  const all = choices === undefined ? '' : `; one of ${choices.join(', ')}`;
  return ['.TP', `.B ${escaped(term)}`, escaped(description + all)].join('\n');
}

/** Escapes the characters that the formatter interprets: backslashes, hyphens, and a dot or quote at the beginning of a line. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll(/\n+/g, '\n.PP\n');
}
