/** Defaults for the memory and the concurrency of a server, from the limits of the machine and of its cgroup. */

import { availableParallelism, totalmem } from 'node:os';
import { controlGroup, type ReadText } from './control-group.ts';

const gibibyte = 2 ** 30;
const poolShare = 0.4;

/** Returns the default memory limit of all programs together, in bytes. */
export function poolBytesDefault(read?: ReadText, machineBytes = totalmem()): number {
  const bytes = Math.min(machineBytes, controlGroup(read).memoryBytes);
  return Math.min(gibibyte, Math.floor(bytes * poolShare));
}

/** Returns the default number of concurrent programs: four for each CPU that the process may use, within bounds. */
export function concurrencyOf(read?: ReadText, processors = availableParallelism()): number {
  const granted = Math.ceil(controlGroup(read).cpus);
  return Math.min(64, Math.max(4, Math.min(processors, granted) * 4));
}
