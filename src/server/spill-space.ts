/** Opens the directory for spill files: a configured one before the server starts, the default one once the store is open. */

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Random } from '#base';
import { openSpillSpace, type SpillSpace, StorageError } from '#storage';
import type { Log } from './log.ts';
import { RefusedOption } from './refused-option.ts';
import type { SpillConfiguration } from './spill-option.ts';
import { makePrivate } from './temporary-directory.ts';

/** Returns the space; `undefined` if programs do not spill. */
export type OpenSpill = () => SpillSpace | undefined;

/** Throws a `RefusedOption` if the directory of `--spill-path` is not writable. The result opens a default directory. */
export function spillOpener(
  configuration: SpillConfiguration | undefined,
  random: Random,
  log: Log,
): OpenSpill {
  if (configuration === undefined) return () => undefined;
  if (configuration.place !== 'configured') return () => defaultSpace(configuration, random, log);
  const space = configuredSpace(configuration, random);
  return () => space;
}

function configuredSpace(configuration: SpillConfiguration, random: Random): SpillSpace {
  try {
    return openSpace(configuration, random);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const allowed = `a directory that this process may write to (${systemWords(error)})`;
    throw new RefusedOption('--spill-path', configuration.path, allowed);
  }
}

/** Returns `undefined`, and logs the reason, if the directory cannot be used. */
function defaultSpace(
  configuration: SpillConfiguration,
  random: Random,
  log: Log,
): SpillSpace | undefined {
  const { path, place } = configuration;
  try {
    if (place === 'temporary') makePrivate(path);
    return openSpace(configuration, random);
  } catch (error) {
    const message =
      'programs cannot spill to disk, so that a program that exceeds its memory fails; set --spill-path';
    log.write('warn', 'spill.unavailable', { path, error: systemWords(error), message });
    return undefined;
  }
}

function openSpace(
  { path, place, limitBytes, reserve }: SpillConfiguration,
  random: Random,
): SpillSpace {
  const reserveBytes = reserve && isOnSameDevice(path, reserve.path) ? reserve.bytes : 0;
  // Within a store, the directory has the permissions of the store.
  const like = place === 'store' ? dirname(path) : path;
  return openSpillSpace(path, random, { limitBytes, reserveBytes, like });
}

/** Returns whether two paths, which need not exist yet, are on one file system. */
function isOnSameDevice(one: string, other: string): boolean {
  return deviceOf(one) === deviceOf(other);
}

function deviceOf(path: string): number {
  return existsSync(path) || dirname(path) === path ? statSync(path).dev : deviceOf(dirname(path));
}

function systemWords(error: unknown): string {
  const cause = error instanceof StorageError ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
