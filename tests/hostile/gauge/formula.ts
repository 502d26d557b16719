/** How much memory a server may hold at its peak: what its limits add up to. */

import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const restMib = 300;

/** `--memory-mib` + `--unsent-mib` + caches + 300 MiB, by the flags that the server was started with. */
export function residentLimitMib(flags: readonly string[]): number {
  const value = (name: string, fallback: number) => {
    const at = flags.indexOf(name);
    return at < 0 ? fallback : Number(flags[at + 1]);
  };
  const memory = value('--memory-mib', Math.min(1024, 0.4 * machineMib()));
  const caches = value('--store-decoded-cache-size-mib', 128);
  return Math.round(memory + value('--unsent-mib', 256) + caches + restMib);
}

function machineMib(): number {
  const limits = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
  const sizes = limits.map((path) => Number(read(path))).filter((size) => size > 0);
  return Math.min(totalmem(), ...sizes) / 2 ** 20;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
