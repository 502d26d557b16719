/** Parses `--allowed-host`, the names by which clients may address a server with authentication. */

import { type Option, refusal } from './option.ts';

const namePattern = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i;

/** Returns the names in lower case; an empty list without the option, which permits all names. Throws a `RefusedOption`. */
export function allowedHostsOf(option: Option, hasAuthentication: boolean): readonly string[] {
  if (option.value === undefined) return [];
  if (!hasAuthentication) {
    throw refusal(
      option,
      'only with --auth keys or jwt, because without it a server on loopback accepts loopback names only',
    );
  }
  const names = option.value.split(',').map((name) => name.trim().toLowerCase());
  if (names.every((name) => namePattern.test(name))) return names;
  throw refusal(option, 'host names or addresses without a port, such as db.example.com or [::1]');
}
