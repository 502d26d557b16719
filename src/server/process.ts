/** The operating system's side: environment, signals. */

import type { Environment } from './configuration.ts';
import type { RunningServer } from './server.ts';

export function environment(): Environment {
  return process.env;
}

/** Serves until a signal (0) or until serving has become impossible (1); the exit code. */
export async function runUntilSignal(server: RunningServer): Promise<number> {
  const signalled = new Promise<'signal'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve('signal'));
    }
  });
  const why = await Promise.race([signalled, server.lost]);
  await server.stop();
  return why === 'signal' ? 0 : 1;
}
