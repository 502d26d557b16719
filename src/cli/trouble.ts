/** Everything that can end a command, as an error for people and an exit code. */

import { CommanderError } from '@commander-js/extra-typings';
import { DatabaseError } from '#failure';
import { RefusedOption } from '#server';
import { StorageError, type StorageTrouble } from '#storage';
import type { CommandError } from './output.ts';

export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

export interface Trouble extends CommandError {
  readonly exitCode: number;
}

/** Undefined when nothing is wrong: help and version end the parsing by an exception, too. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof CommanderError) return commanderTrouble(error);
  if (error instanceof RefusedOption) return usage(error.message);
  const { failed: exitCode } = exitCodes;
  if (error instanceof StorageError) {
    const { kind } = error.trouble;
    const hint = storageHint(error.trouble);
    return { exitCode, code: `storage_${kind}`, message: withCause(error), hint };
  }
  const code = error instanceof DatabaseError ? error.failure.reason : 'failed';
  return { exitCode, code, message: withCause(error) };
}

const helpHint = 'see `svc --help` and `svc serve --help`';

function usage(message: string): Trouble {
  return { exitCode: exitCodes.usage, code: 'usage', message, hint: helpHint };
}

function commanderTrouble(error: CommanderError): Trouble | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help') return usage('a command is needed');
  return usage(error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1'));
}

/** What to do next. */
function storageHint(trouble: StorageTrouble): string {
  switch (trouble.kind) {
    case 'locked':
      return 'one server a directory: use the one that runs, stop it, or choose another --storage-path';
    case 'fenced':
      return 'another server has taken this directory over; only one may write to it';
    case 'corrupt':
    case 'missing':
      return 'nothing was changed: restore the directory from a backup, or look at the disk';
    case 'format':
      return 'open the directory with the version of svc that wrote it, or a newer one';
    case 'full':
      return 'make room on the device, then start again; everything acknowledged is kept';
    case 'io':
      return 'is --storage-path a directory that this process may write to?';
    case 'unavailable':
      return 'is --s3-endpoint right, and does it answer from here?';
    case 'unauthorized':
      return 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may do, --s3-region, and this machine’s clock';
    case 'bucket_missing':
      return 'create it, or choose another --s3-bucket, --s3-region or --s3-endpoint';
    case 'empty':
      return 'start a writer there';
    case 'expired':
    case 'replaced':
      return 'start this reader again';
    case 'unfit':
      return '`svc doctor store` says what it does and does not do';
  }
}

function withCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isTold = !(cause instanceof Error) || error.message.includes(cause.message);
  return isTold ? error.message : `${error.message}: ${cause.message}`;
}
