/** `svc schema transitions`: lists, shows, awaits and cancels online transitions. */

import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { nearestOf } from '#base';
import { transitionKinds, transitionStates } from '#catalog';
import { isTerminal, SchemaApi, type WireTransition } from '#client';
import { requireConsent } from '../../frame/consent.ts';
import { printResult } from '../../frame/output.ts';
import type { Shell } from '../../frame/shell.ts';
import { anyServer, type ServerFlags } from '../../project/any-server.ts';
import { announcement } from '../../project/database-choice.ts';
import { databaseCommand } from '../../project/project-options.ts';
import { awaitTransitions } from './await-transitions.ts';
import { transitionLine, transitionTable } from './show-transition.ts';

const idArgument = () => new Argument('<id>', 'id of the transition, as shown by `list`');

export function transitionsCommand(shell: Shell) {
  return new Command('transitions')
    .description('List, show, await and cancel online transitions.')
    .addCommand(listCommand(shell))
    .addCommand(getCommand(shell))
    .addCommand(waitCommand(shell))
    .addCommand(cancelCommand(shell));
}

function listCommand(shell: Shell) {
  return databaseCommand('list')
    .description('List transitions, including those that have ended.')
    .addOption(wordOption('--kind <kind>', 'list only transitions of this kind', transitionKinds))
    .addOption(
      wordOption('--state <state>', 'list only transitions in this state', transitionStates),
    )
    .action(async ({ kind, state, ...flags }) => {
      const api = apiOf(shell, flags);
      const transitions = await api.transitions({ kind, state });
      printResult(shell, { transitions }, transitionTable(transitions));
    });
}

function getCommand(shell: Shell) {
  return databaseCommand('get')
    .description('Show one transition.')
    .addArgument(idArgument())
    .action(async (id, flags) => {
      const transition = await apiOf(shell, flags).transition(id);
      print(shell, transition);
    });
}

function waitCommand(shell: Shell) {
  return databaseCommand('wait')
    .description('Wait until a transition has ended.')
    .addArgument(idArgument())
    .option('--interval-ms <n>', 'time between two checks', positive, 500)
    .option('--timeout-seconds <n>', 'maximum time to wait', positive, 300)
    .action(async (id, { intervalMs, timeoutSeconds, ...flags }) => {
      const api = apiOf(shell, flags);
      const limits = { pollMs: intervalMs, timeoutMs: timeoutSeconds * 1000 };
      const [transition] = await awaitTransitions(shell, api, [id], limits);
      print(shell, transition as WireTransition);
    });
}

function cancelCommand(shell: Shell) {
  return databaseCommand('cancel')
    .description('Cancel a transition; the server removes the data that it has created.')
    .addArgument(idArgument())
    .option('-y, --yes', 'cancel without a prompt')
    .action(async (id, { yes = false, ...flags }) => {
      const api = apiOf(shell, flags);
      if (!yes) await consent(shell, api, id);
      print(shell, await api.cancel(id));
    });
}

/** Transitions belong to the database, so the commands need no project. */
function apiOf(shell: Shell, flags: ServerFlags): SchemaApi {
  const { database, connection } = anyServer(shell, flags);
  if (shell.mode === 'text') shell.say(announcement(database));
  return new SchemaApi(connection);
}

/** Asks before a running transition is canceled. For an unknown or ended one, the server reports the error. */
async function consent(shell: Shell, api: SchemaApi, id: string): Promise<void> {
  const transition = await api.transition(id);
  if (isTerminal(transition)) return;
  await requireConsent(shell, {
    message: `canceling ${id} discards the work that it has done`,
    hint: 'use --yes to confirm',
    shown: [transitionLine(transition)],
    question: `Cancel ${id}?`,
    refusal: 'transition_cancellation_cancelled',
  });
}

function print(shell: Shell, transition: WireTransition): void {
  printResult(shell, transition, transitionLine(transition));
}

/** Returns an option whose values are the printed words. A dash may replace an underscore. */
function wordOption<const Flags extends string>(
  flags: Flags,
  description: string,
  words: readonly string[],
) {
  const option = new Option(flags, description).choices(words);
  return option.argParser((given: string): string => {
    const word = given.replaceAll('-', '_');
    if (words.includes(word)) return word;
    const near = nearestOf(word, words);
    const guess = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new InvalidArgumentError(`Expected one of ${words.join(', ')}.${guess}`);
  });
}

function positive(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError('Expected an integer above 0.');
  }
  return Number(text);
}
