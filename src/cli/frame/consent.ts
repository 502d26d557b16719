/** Confirmation of a destructive command, by a flag or by an answer at the terminal. */

import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import type { Shell } from './shell.ts';

interface Consent {
  /** The effect of the command. This text is the message of the error if no terminal is available for a prompt. */
  readonly message: string;
  readonly hint: string;
  readonly details?: object;
  /** Lines that are shown before the question. */
  readonly shown?: readonly string[];
  readonly question: string;
  /** The code of the error if the answer is not yes. */
  readonly refusal: string;
}

/** Throws a CommandFailure if the answer is not yes, or if no terminal is available for a prompt. */
export async function requireConsent(shell: Shell, consent: Consent): Promise<void> {
  const { message, hint, details, shown = [], question, refusal } = consent;
  if (!shell.isInteractive) {
    const exitCode = exitCodes.consent;
    throw new CommandFailure({ code: 'confirmation_required', message, hint, details, exitCode });
  }
  for (const line of shown) shell.say(line);
  await requireYes(shell, question, refusal);
}

/** Throws a CommandFailure with the code `refusal` if the answer is not yes. */
export async function requireYes(shell: Shell, question: string, refusal: string): Promise<void> {
  if (await confirm(shell, question)) return;
  const message = 'nothing was changed';
  throw new CommandFailure({ code: refusal, message, exitCode: exitCodes.consent });
}

/** Asks a question that ends with `[y/N]`. Every answer except yes means no. Input that was typed before the question is discarded. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  shell.dropTypedAhead();
  return /^\s*y(es)?\s*$/i.test(await shell.ask(`${question} [y/N] `));
}
