/**
 * Limits the growth of the heap between collections. While the live heap is small, the runtime collects after it has doubled. Once the live
 * heap is a large part of the machine's memory, the runtime collects after a growth by a half or a quarter. On a large machine, a gigabyte
 * of rows would therefore be followed by a gigabyte of garbage. This module makes the runtime assume a machine with half of the memory
 * limit of all programs (docs/decisions). The runtime reads that variable only at startup, so the process replaces itself and keeps its
 * process ID.
 */

import { poolBytesDefault } from './allowance.ts';
import { heapVariable } from './system-world.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Minimum assumed memory. A mostly idle process uses about this much, and a lower value would only cause more collections. */
const toldBytesMin = 128 * 2 ** 20;

/** Replaces the process: a path, arguments starting with the name, and environment variables. */
type Replace = (path: string, argv: readonly string[], env: Environment) => void;

/**
 * Restarts the process with a limited heap. Returns without a restart if the limit is already set, or if it cannot be set because this is
 * not a standalone executable.
 */
export function limitHeap(
  { memoryBytes = poolBytesDefault() }: { readonly memoryBytes: number | undefined },
  env: Environment,
  replace = replacement(),
): void {
  if (env[heapVariable] !== undefined || replace === undefined) return;
  const toldBytes = Math.max(toldBytesMin, Math.floor(memoryBytes / 2));
  const { execPath, argv0, argv } = process;
  replace(execPath, [argv0, ...argv.slice(2)], {
    ...env,
    [heapVariable]: String(toldBytes),
  });
}

function replacement(): Replace | undefined {
  const { execve } = process as { readonly execve?: Replace };
  if (!Bun.isStandaloneExecutable || process.platform === 'win32') return undefined;
  return execve?.bind(process) as Replace | undefined;
}
