/**
 * Effects of signals on a serving process (docs/deploy.md, "Signals"). SIGPIPE is not listed, because the runtime
 * ignores it and the write that caused it fails.
 */

import { readFileSync } from 'node:fs';
import { ignoresSignal } from './c-library.ts';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

/** The first signal starts the shutdown and removes its handler, so that a second one ends the process immediately. */
const impatient = ['SIGINT', 'SIGTERM'] as const;
/** Further signals are ignored, because a closing terminal sends several. */
const patient = ['SIGHUP', 'SIGQUIT'] as const;
/** Signals that would end the process by default. */
const withoutEffect = ['SIGUSR1', 'SIGUSR2'] as const;

const hangupNumber = 1;

interface Effects {
  /** Called for each signal that starts a shutdown. Different signals can each call it once or more. */
  readonly stop: (signal: StopSignal) => void;
  readonly ignored?: (signal: 'SIGUSR1' | 'SIGUSR2') => void;
}

/** Installs the handlers until the result is disposed of. Then the defaults of the system apply again. */
export function handleSignals({ stop, ignored = () => {} }: Effects): Disposable {
  const handlers: [name: NodeJS.Signals, handler: () => void][] = [
    ...withoutEffect.map((name) => [name, () => ignored(name)] as [NodeJS.Signals, () => void]),
  ];
  for (const name of patient) {
    // `nohup` starts a process that ignores hangups.
    if (name === 'SIGHUP' && startedIgnoringHangup()) continue;
    handlers.push([name, () => stop(name)]);
  }
  for (const [name, handler] of handlers) process.on(name, handler);
  for (const name of impatient) {
    const handler = () => {
      process.off(name, handler);
      stop(name);
    };
    handlers.push([name, handler]);
    process.on(name, handler);
  }
  return {
    [Symbol.dispose]: () => {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}

/**
 * Returns whether the process was started with SIGHUP ignored. Reads it from `/proc`, or from the C library if `/proc`
 * does not exist. Returns `false` if neither exists.
 */
export function startedIgnoringHangup(read = readStatus): boolean {
  try {
    return isIgnored(read(), hangupNumber);
  } catch {
    return ignoresSignal(hangupNumber) ?? false;
  }
}

function readStatus(): string {
  return readFileSync('/proc/self/status', 'utf8');
}

/** Returns whether a signal is ignored. `status` is the text of `/proc/self/status`. */
export function isIgnored(status: string, signalNumber: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (mask === undefined) return false;
  return ((BigInt(`0x${mask}`) >> BigInt(signalNumber - 1)) & 1n) === 1n;
}
