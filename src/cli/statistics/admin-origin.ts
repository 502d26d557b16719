/** Determines the address of the admin listener of a server. */

import { originOf } from '#client';
import { usageFailure } from '../frame/command-failure.ts';

const hint = 'set it with --admin-url, such as http://127.0.0.1:7238';

/** Returns the origin of `given`, which is in the form of the user, or else that of the port after the server's `origin`. */
export function adminOrigin(given: string | undefined, origin: string): string {
  if (given !== undefined) return namedOrigin(given);
  const { hostname, port } = new URL(origin);
  if (port === '65535')
    throw usageFailure(`${origin}: there is no next port for the admin listener`, hint);
  return `http://${hostname}:${Number(port || 80) + 1}`;
}

function namedOrigin(given: string): string {
  try {
    return originOf(given);
  } catch (error) {
    throw usageFailure((error as Error).message, hint);
  }
}
