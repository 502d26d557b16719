/** The operating-system side of the server: environment variables, signals, exit. */

import type { World } from '#base';
import type { Log } from './log.ts';
import type { LogSink } from './log-sink.ts';
import type { Environment } from './option.ts';
import type { OpenedPlace, Server } from './server.ts';
import { handleSignals } from './signals.ts';

/** Exit codes by reason. A fenced writer has a separate exit code, because a restart would fence its successor. */
const exitCodes = { signal: 0, task_failed: 1, fenced: 6 } as const;

/** Time for writing the last lines of the log. */
const lastLinesMs = 1000;

/** The exit code, and whether pending work would keep the process alive. */
interface Ending {
  readonly exitCode: number;
  readonly isHeld: boolean;
}

export function environment(): Environment {
  return process.env;
}

/**
 * Serves until a signal stops the server (exit code 0) or until it can no longer serve (exit code 1, or 6 if another
 * writer has taken over). A second SIGINT or SIGTERM ends the process immediately. `ready` is called once the database
 * is open. Throws the error that prevents the start.
 */
export async function runServer(
  log: Log,
  start: () => Server,
  ready: (server: Server, place: OpenedPlace) => void,
): Promise<Ending> {
  let server: Server | undefined;
  const signalled = firstSignal(log, () => server?.reload() === true);
  const started = start();
  server = started;
  const opened = started.opened.then((place) => {
    if (!started.isStopping) ready(started, place);
  });
  try {
    const why = await Promise.race([signalled, opened.then(() => started.lost)]);
    return await end(started, exitCodes[why]);
  } catch (error) {
    await started.stop();
    throw error;
  }
}

async function end(server: Server, exitCode: number): Promise<Ending> {
  // After the signal, a failure to open the database is not reported.
  server.opened.catch(() => {});
  if ((await server.stop()) === 'closed') return { exitCode, isHeld: server.isHeld };
  // The store did not close, and would keep the process alive.
  process.exit(exitCode || 1);
}

/**
 * Returns the exit code after the log was written. If the last lines are not written in time, or if pending work would
 * keep the process alive, the process exits immediately with that code.
 */
export async function endLog(
  sink: LogSink,
  world: World,
  { exitCode, isHeld }: Ending,
): Promise<number> {
  if ((await sink.end(world, lastLinesMs)) && !isHeld) return exitCode;
  process.exit(exitCode);
}

/**
 * Resolves with the first signal that stops the server. A hangup does not if `reload` returns true. The handlers stay until the process ends, so that a hangup during the shutdown does
 * not interrupt it.
 */
function firstSignal(log: Log, reload: () => boolean): Promise<'signal'> {
  return new Promise((resolve) => {
    handleSignals({
      stop: (signal) => {
        if (signal === 'SIGHUP' && reload()) return;
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
