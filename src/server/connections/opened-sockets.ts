/** Prepares the sockets of a listener for their connections. */

import type { SocketTable } from './socket-table.ts';

/** Returns the function to call after each opening of sockets on a port. `unreadBytes` is the limit for each connection. */
export function openedSockets(table: SocketTable | undefined, unreadBytes: number) {
  return (port: number, isReplacement: boolean): void => {
    table?.boundUnread(port, unreadBytes);
    if (isReplacement) table?.directToSecond(port);
  };
}
