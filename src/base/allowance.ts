/** What a server takes of the machine, or of its control group, when no flag says how much. */

import { availableParallelism, totalmem } from 'node:os';
import { controlGroup, type ReadText } from './control-group.ts';

const gibibyte = 2 ** 30;
const poolShare = 0.4;

/** Memory of all programs when no flag says how much. */
export function poolBytesDefault(read?: ReadText, machineBytes = totalmem()): number {
  const bytes = Math.min(machineBytes, controlGroup(read).memoryBytes);
  return Math.min(gibibyte, Math.floor(bytes * poolShare));
}

/** Programs that execute at once: four for each processor that the process may use, within bounds. */
export function concurrencyOf(read?: ReadText, processors = availableParallelism()): number {
  const granted = Math.ceil(controlGroup(read).cpus);
  return Math.min(64, Math.max(4, Math.min(processors, granted) * 4));
}
