/** Where the admin listener of a server is asked. */

import { originOf } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';

/** Of `given`, as the user wrote it, else the port after that of the server at `origin`. */
export function adminOrigin(given: string | undefined, origin: string): string {
  if (given !== undefined) return namedOrigin(given);
  const { hostname, port } = new URL(origin);
  if (port === '65535') throw usage(`${origin} has no next port: name the admin listener`);
  return `http://${hostname}:${Number(port || 80) + 1}`;
}

function namedOrigin(given: string): string {
  try {
    return originOf(given);
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(message: string): CommandFailure {
  const hint = '--admin-url http://127.0.0.1:7238 names it';
  return new CommandFailure({ code: 'usage', message, hint, exitCode: exitCodes.usage });
}
