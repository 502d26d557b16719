/** Agreement to what a command takes away or gives up: by a flag, or by an answer. */

import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import type { Shell } from './shell.ts';

interface Consent {
  /** What would happen: the error has it where nobody is there to answer. */
  readonly message: string;
  readonly hint: string;
  readonly details?: object;
  /** Shown before the question. */
  readonly shown?: readonly string[];
  readonly question: string;
  /** The code of the error if the answer is no. */
  readonly refusal: string;
}

/** Throws a CommandFailure if the answer is no, and if nobody is there to answer. */
export async function requireConsent(shell: Shell, consent: Consent): Promise<void> {
  const { message, hint, details, shown = [], question, refusal } = consent;
  if (!shell.isInteractive) {
    const exitCode = exitCodes.consent;
    throw new CommandFailure({ code: 'confirmation_required', message, hint, details, exitCode });
  }
  for (const line of shown) shell.say(line);
  await requireYes(shell, question, refusal);
}

/** Throws a CommandFailure of code `refusal` if the answer is no. */
export async function requireYes(shell: Shell, question: string, refusal: string): Promise<void> {
  if (await confirm(shell, question)) return;
  const message = 'nothing was changed';
  throw new CommandFailure({ code: refusal, message, exitCode: exitCodes.consent });
}

/** `[y/N]`: anything but yes is no, and so is what was typed before somebody could read the question. */
export async function confirm(shell: Shell, question: string): Promise<boolean> {
  shell.dropTypedAhead();
  return /^\s*y(es)?\s*$/i.test(await shell.ask(`${question} [y/N] `));
}
