/**
 * How far the heap of the runtime grows before it is collected: by half or a quarter of what is alive once that is a good part of the machine's memory, else
 * to the double of it. On a large machine a gigabyte of rows would get a second one for garbage. So the runtime is told that the machine has
 * half as much memory as all programs may hold (docs/decisions). The runtime looks once, as the process begins: the process begins anew, under the same number.
 */

import { poolBytesDefault } from './allowance.ts';
import { heapVariable } from './system-world.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A process that does little has about so much: less would only be looked through more often. */
const toldBytesMin = 128 * 2 ** 20;

/** What takes the place of a process: a path, arguments with the name first, variables. */
type Replace = (path: string, argv: readonly string[], env: Environment) => void;

/** Returns when the runtime knows already, or when it cannot be told: this is no executable of its own. */
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
