/** The command tree as words, for completion: the words and flags that can follow each word. */

import type { CommandUnknownOpts } from '@commander-js/extra-typings';

export interface WordNode {
  /** The words from the name of the program on, such as `svc schema diff`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly WordNode[];
  readonly flags: readonly Flag[];
  /** Values of the first argument. */
  readonly choices: readonly string[];
  /** Whether the first argument is a file or a directory. */
  readonly isPath: boolean;
}

export interface Flag {
  /** The name with its dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  /** Whether the value is an environment of the project in the current directory. */
  readonly isEnvironment: boolean;
  /** Whether the value is a file or a directory. */
  readonly isPath: boolean;
}

/** The command that prints the names of environments, one per line. Only the completion scripts run it. */
export const environmentsCommand = 'svc completions bash --environments';

export function wordTree(command: CommandUnknownOpts, above = ''): WordNode {
  const path = `${above}${command.name()}`;
  return {
    path,
    description: command.description(),
    commands: command.commands.map((child) => wordTree(child, `${path} `)),
    flags: command.createHelp().visibleOptions(command).map(flagOf),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    isPath: /^(?:file|directory)$/.test(command.registeredArguments[0]?.name() ?? ''),
  };
}

function flagOf(option: CommandUnknownOpts['options'][number]): Flag {
  return {
    long: option.long ?? '',
    short: option.short,
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? spelledChoices(option.flags),
    isEnvironment: option.long === '--env',
    isPath: /<(?:file|directory)>/.test(option.flags),
  };
}

/** Returns the values that the notation of the flag lists: `--role <write|read>`, `--fast [boolean]`. */
function spelledChoices(flags: string): readonly string[] {
  const [, words] = /[<[]([a-z0-9|]+)[>\]]$/.exec(flags) ?? [];
  if (words === 'boolean') return ['true', 'false'];
  return words?.includes('|') ? words.split('|') : [];
}

/** Returns the node and all its descendants. */
export function allNodes(node: WordNode): readonly WordNode[] {
  return [node, ...node.commands.flatMap(allNodes)];
}

export function wordsAfter({ commands, flags, choices }: WordNode): readonly string[] {
  return [...commands.map(lastWord), ...choices, ...flags.map(({ long }) => long)];
}

export function lastWord({ path }: WordNode): string {
  return path.slice(path.lastIndexOf(' ') + 1);
}
