/** Credentials in a file in the format of the AWS tools, which another process may replace while the store is open. */

import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '#base';
import type { CredentialsFile, S3Credentials } from './options.ts';

/** Supplies the credentials of each request. */
export interface CredentialSource {
  /** Returns the same object until the credentials change. */
  current(): S3Credentials;
  /** Reads the credentials again after a server has refused `used`. Returns whether there are others now. */
  refresh(used: S3Credentials): boolean;
}

/** Minimum time between two checks of the file. */
const checkMs = 1000;

const names = {
  accessKeyId: 'aws_access_key_id',
  secretAccessKey: 'aws_secret_access_key',
  sessionToken: 'aws_session_token',
} as const;

/** Returns the credentials of a profile. Throws if the file cannot be read or the profile is incomplete. */
export function readCredentials({ path, profile }: CredentialsFile): S3Credentials {
  const values = sectionOf(readFileSync(path, 'utf8'), profile);
  const need = (name: string): string => {
    const value = values.get(name);
    if (value) return value;
    throw new Error(`${path}: section [${profile}] has no ${name}`);
  };
  const accessKeyId = need(names.accessKeyId);
  const secretAccessKey = need(names.secretAccessKey);
  const sessionToken = values.get(names.sessionToken);
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

function sectionOf(text: string, profile: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) isWanted = section === profile;
    const [, name, value] = /^\s*([\w]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isWanted && name !== undefined) values.set(name.toLowerCase(), value as string);
  }
  return values;
}

export function fixedCredentials(credentials: S3Credentials): CredentialSource {
  return { current: () => credentials, refresh: () => false };
}

/** Follows the changes of a file. While it is unusable, for example half-written, the former credentials stay. */
export function followedCredentials(
  file: CredentialsFile,
  initial: S3Credentials,
  clock: Clock,
): CredentialSource {
  let credentials = initial;
  let seen = '';
  let checkedMs = Number.NEGATIVE_INFINITY;
  const read = (): void => {
    try {
      const found = readCredentials(file);
      if (JSON.stringify(found) !== JSON.stringify(credentials)) credentials = found;
    } catch {
      // The next change or refusal reads it again.
    }
  };
  return {
    current() {
      const nowMs = clock.monotonicMs();
      if (nowMs - checkedMs < checkMs) return credentials;
      checkedMs = nowMs;
      const state = stateOf(file.path);
      if (state === seen) return credentials;
      seen = state;
      read();
      return credentials;
    },
    refresh(used) {
      read();
      return credentials !== used;
    },
  };
}

/** Returns a text that changes with the file. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
