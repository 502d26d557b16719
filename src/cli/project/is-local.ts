/** Whether an origin is this machine's own: nobody else's database answers there. */

import { isLoopback } from '#base';

export function isLocal(origin: string): boolean {
  return isLoopback(new URL(origin).hostname);
}
