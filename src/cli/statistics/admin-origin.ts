/** Where the admin listener of a server is asked. */

import { originOf } from '#client';
import { usageFailure } from '../frame/command-failure.ts';

const hint = '--admin-url http://127.0.0.1:7238 names it';

/** Of `given`, as the user wrote it, else the port after that of the server at `origin`. */
export function adminOrigin(given: string | undefined, origin: string): string {
  if (given !== undefined) return namedOrigin(given);
  const { hostname, port } = new URL(origin);
  if (port === '65535')
    throw usageFailure(`${origin} has no next port: name the admin listener`, hint);
  return `http://${hostname}:${Number(port || 80) + 1}`;
}

function namedOrigin(given: string): string {
  try {
    return originOf(given);
  } catch (error) {
    throw usageFailure((error as Error).message, hint);
  }
}
