/** The operating system's side: environment, signals, the end. */

import type { World } from '#base';
import type { Log } from './log.ts';
import type { LogSink } from './log-sink.ts';
import type { Environment } from './option.ts';
import type { OpenedPlace, Server } from './server.ts';
import { handleSignals } from './signals.ts';

/** By why serving has ended. A fenced writer has an exit code of its own: whoever starts it again would fence its successor. */
const exitCodes = { signal: 0, task_failed: 1, fenced: 6 } as const;

/** For what the log still holds at the end. */
const lastLinesMs = 1000;

/** How serving has ended, and whether something on its way would keep the process alive. */
interface Ending {
  readonly exitCode: number;
  readonly isHeld: boolean;
}

export function environment(): Environment {
  return process.env;
}

/**
 * Serves until a signal that stops (exit code 0) or until serving has become impossible (1; 6 when another writer has taken over). A second SIGINT or SIGTERM does not wait.
 * `ready` is called once the database is open. Throws what keeps the server from starting.
 */
export async function runServer(
  log: Log,
  start: () => Server,
  ready: (server: Server, place: OpenedPlace) => void,
): Promise<Ending> {
  const signalled = firstSignal(log);
  const server = start();
  const opened = server.opened.then((place) => {
    if (!server.isStopping) ready(server, place);
  });
  try {
    const why = await Promise.race([signalled, opened.then(() => server.lost)]);
    return await end(server, exitCodes[why]);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function end(server: Server, exitCode: number): Promise<Ending> {
  // A database that fails to open after the signal is no news any more.
  server.opened.catch(() => {});
  if ((await server.stop()) === 'closed') return { exitCode, isHeld: server.isHeld };
  // What hangs would keep the process alive.
  process.exit(exitCode || 1);
}

/** Returns the exit code once the log is written; the process ends with it at once when nobody takes the last lines, or something else holds it. */
export async function endLog(
  sink: LogSink,
  world: World,
  { exitCode, isHeld }: Ending,
): Promise<number> {
  if ((await sink.end(world, lastLinesMs)) && !isHeld) return exitCode;
  process.exit(exitCode);
}

/** The handlers stay to the end of the process: a hangup during the stop must not cut it short. */
function firstSignal(log: Log): Promise<'signal'> {
  return new Promise((resolve) => {
    handleSignals({
      stop: (signal) => {
        log.write('debug', 'process.signal', { signal });
        resolve('signal');
      },
      ignored: (signal) =>
        log.write('info', 'process.signal_ignored', {
          signal,
          message: 'this signal has no effect',
        }),
    });
  });
}
