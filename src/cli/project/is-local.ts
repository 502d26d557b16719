/** Detects origins on this machine, where only the user's own databases are assumed to listen. */

import { isLoopback } from '#base';

export function isLocal(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}
