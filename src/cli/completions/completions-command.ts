/** `svc completions`: what a shell needs to complete commands and flags, made from the command tree itself. */

import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { printText } from '../frame/output.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { wordTree } from './word-tree.ts';
import { zshCompletion } from './zsh.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const shells = ['bash', 'zsh', 'fish'] as const;

export function completionsCommand(program: () => CommandUnknownOpts) {
  return new Command('completions')
    .description('Print a completion script: source <(svc completions bash).')
    .addArgument(new Argument('<shell>', 'for which shell').choices(shells))
    .action((shell) => printText(scripts[shell](wordTree(program()))));
}
