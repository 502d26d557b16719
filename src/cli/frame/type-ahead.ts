/** Discards input that was typed at the terminal before a question was asked. */

import { closeSync, constants, openSync, readSync } from 'node:fs';

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = constants;

/** Reads and discards all pending input, including an incomplete line. Does nothing if stdin is not a terminal. */
export function dropTypedAhead(): void {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  const wasRaw = stdin.isRaw;
  // Only a raw terminal returns an incomplete line.
  stdin.setRawMode(true);
  try {
    // The terminal is opened again, because a non-blocking mode of stdin would apply to every process that shares it.
    const terminal = openSync('/dev/tty', O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      const bytes = new Uint8Array(4096);
      while (readSync(terminal, bytes) > 0);
    } finally {
      closeSync(terminal);
    }
  } catch {
    // All input has been read, or none can be read.
  }
  stdin.setRawMode(wasRaw);
}
