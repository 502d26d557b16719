/** `svc completions`: prints a completion script for a shell, generated from the command tree. */

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
To enable completion in each new shell:
  bash  source <(svc completions bash)                     in ~/.bashrc
  zsh   autoload -U compinit && compinit                   in ~/.zshrc, and below it
        source <(svc completions zsh)
  fish  svc completions fish > ~/.config/fish/completions/svc.fish`;

export function completionsCommand(shell: Shell, program: () => CommandUnknownOpts) {
  return new Command('completions')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(shells))
    .addHelpText('after', setUp)
    .addOption(
      new Option('--environments', 'print the environments of the project instead').hideHelp(),
    )
    .action((of, { environments }) => {
      // The completion script itself runs this and expects plain words.
      if (environments) printText(environmentsHere().join('\n'));
      else {
        const script = scripts[of](wordTree(program()));
        printResult(shell, { shell: of, script }, script);
      }
    });
}

/** Returns the environments of the project, or an empty list without a project. */
function environmentsHere(): readonly string[] {
  return existsSync(configFile) ? [...readConfig(configFile).environments.keys()] : [];
}
