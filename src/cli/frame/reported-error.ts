/** Converts every error that can end a command to a message for people and an exit code. */

import { CommanderError } from '@commander-js/extra-typings';
import { nearestOf } from '#base';
import { ServerProblem, Unreachable } from '#client';
import { DatabaseError } from '#failure';
import { RefusedConfiguration } from '#server';
import { StorageError } from '#storage';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import type { CommandError } from './output.ts';
import { storageHint } from './storage-hint.ts';
import { systemReason } from './system-reason.ts';

export interface ReportedError extends CommandError {
  readonly exitCode: number;
}

/** Returns `undefined` if nothing is wrong: help and version also end the parsing by an exception. `path` is the command, such as `svc schema diff`. */
export function reportedErrorOf(error: unknown, path = 'svc'): ReportedError | undefined {
  if (error instanceof CommanderError) return commanderTrouble(error, path);
  if (error instanceof RefusedConfiguration) return usage(error.message, path);
  if (error instanceof CommandFailure) return failureTrouble(error);
  if (error instanceof ServerProblem) return problemTrouble(error);
  if (error instanceof Unreachable) return unreachable(error);
  const { failed: exitCode } = exitCodes;
  if (error instanceof StorageError) {
    const { kind } = error.fault;
    const hint = storageHint(error.fault);
    return { exitCode, code: `storage_${kind}`, message: withCause(error), hint };
  }
  const code = error instanceof DatabaseError ? error.failure.reason : 'failed';
  return { exitCode, code, message: withCause(error) };
}

function usage(message: string, path: string): ReportedError {
  const hint = `see \`${path} --help\``;
  return { exitCode: exitCodes.usage, code: 'usage', message, hint };
}

function commanderTrouble(error: CommanderError, path: string): ReportedError | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help') return usage('a command is required', path);
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\((.*)\)$/, (_, guess: string) =>
      isNear(error.message, guess) ? `. ${guess}` : '',
    )
    .replace(
      /^command-argument value '(.*)' is invalid for argument '(.*?)'\./,
      '"$1" is not a $2.',
    )
    .replace(/ Allowed choices are (.*)\.$/, ' Expected one of $1.');
  return usage(message, path);
}

/** The parser includes the dashes of a flag in its comparison, and all flags have them. */
function isNear(message: string, guess: string): boolean {
  const given = /'-*([^'=]*)/.exec(message)?.[1] ?? '';
  const words = guess.match(/(?<=[ ,]-*)[a-z0-9][\w-]*(?=[,?])/gi) ?? [];
  return nearestOf(given, words) !== undefined;
}

function failureTrouble({ facts }: CommandFailure): ReportedError {
  const { code, message, hint, details } = facts;
  return {
    code,
    message,
    exitCode: facts.exitCode ?? exitCodes.failed,
    hint,
    ...(details === undefined ? {} : { members: { details: { hint, ...details } } }),
  };
}

/** Keeps the words of the server's rejection. */
function problemTrouble({ status, problem, message }: ServerProblem): ReportedError {
  const { code = 'unknown', reason = 'unknown' } = problem;
  const members = { reason, message, http_status: status, problem };
  const others = problem.errors?.filter(({ detail }) => !message.startsWith(detail)) ?? [];
  const text = [message, ...others.map(({ detail }) => `- ${detail}`)].join('\n');
  const hint = problemHints[reason];
  return { exitCode: exitCodeOf(status), code, message: text, members, hint };
}

/** Remedies for errors of a server, in terms of commands. */
const problemHints: Readonly<Record<string, string>> = {
  missing_token:
    'set --access-token-file, SVC_ACCESS_TOKEN_FILE or SVC_ACCESS_TOKEN; an administrator creates a key with `svc key create`',
  invalid_token:
    'check --access-token-file, SVC_ACCESS_TOKEN_FILE or SVC_ACCESS_TOKEN; `svc key list` shows an administrator whether the key has expired or was revoked',
  insufficient_scope: '`svc key create` creates a key with other scopes and grants',
  schema_transition_not_found: '`svc schema transitions list` lists the transitions',
  serializable_conflict:
    'conflict: another change was committed first; nothing was changed; run `svc schema status` to see the current state',
  storage_unavailable:
    'the server may still be starting: try again; its log and `svc doctor` contain details',
};

function exitCodeOf(status: number): number {
  if (status === 409) return exitCodes.conflict;
  if (status === 401 || status === 403) return exitCodes.denied;
  return exitCodes.failed;
}

function unreachable({ message, hasRemedy }: Unreachable): ReportedError {
  const address =
    'the address comes from --database-url or --env, else SVC_DATABASE_URL or SVC_ENV, else `database_url` of svc.config.yaml';
  return {
    exitCode: exitCodes.unreachable,
    code: 'unreachable',
    message,
    hint: hasRemedy ? address : `check that \`svc serve\` is running there; ${address}`,
  };
}

function withCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isTold = !(cause instanceof Error) || error.message.includes(cause.message);
  return isTold ? error.message : `${error.message}: ${systemReason(cause)}`;
}
