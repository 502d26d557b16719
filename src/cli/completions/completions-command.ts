/** `svc completions`: what a shell needs to complete commands and flags, made from the command tree itself. */

import { existsSync } from 'node:fs';
import { Argument, Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { printResult, printText } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { configFile, readConfig } from '../project/config.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { wordTree } from './word-tree.ts';
import { zshCompletion } from './zsh.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const shells = ['bash', 'zsh', 'fish'] as const;

const setUp = `
To have it in each new shell:
  bash  source <(svc completions bash)                     in ~/.bashrc
  zsh   autoload -U compinit && compinit                   in ~/.zshrc, and below it
        source <(svc completions zsh)
  fish  svc completions fish > ~/.config/fish/completions/svc.fish`;

export function completionsCommand(shell: Shell, program: () => CommandUnknownOpts) {
  return new Command('completions')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(shells))
    .addHelpText('after', setUp)
    .addOption(new Option('--environments', 'print those of the project instead').hideHelp())
    .action((of, { environments }) => {
      // Asked by the script itself, which reads words.
      if (environments) printText(environmentsHere().join('\n'));
      else {
        const script = scripts[of](wordTree(program()));
        printResult(shell, { shell: of, script }, script);
      }
    });
}

/** None where there is no project. */
function environmentsHere(): readonly string[] {
  return existsSync(configFile) ? [...readConfig(configFile).environments.keys()] : [];
}
