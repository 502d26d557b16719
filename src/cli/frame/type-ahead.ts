/** What somebody typed at a terminal before there was a question. */

import { closeSync, constants, openSync, readSync } from 'node:fs';

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;

/** Reads it away, a line without its end as well. Where there is no terminal to read from, nothing has been typed. */
export function dropTypedAhead(): void {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  const wasRaw = stdin.isRaw;
  // Until the line has an end, only a raw terminal gives what was typed of it.
  stdin.setRawMode(true);
  try {
    // Opened anew: a descriptor that does not wait is one for all who share it.
    const terminal = openSync('/dev/tty', O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      const bytes = new Uint8Array(4096);
      while (readSync(terminal, bytes) > 0);
    } finally {
      closeSync(terminal);
    }
  } catch {
    // All has been read, or nothing can be.
  }
  stdin.setRawMode(wasRaw);
}
