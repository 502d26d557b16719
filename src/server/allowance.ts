/** What the machine, or the control group around the process, lets it have. */

import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** The text of a file, undefined when there is none. */
type ReadText = (path: string) => string | undefined;

const gibibyte = 2 ** 30;
const poolShare = 0.4;

/** Memory of all programs when no flag says how much. */
export function poolBytesDefault(read: ReadText = readText, machineBytes = totalmem()): number {
  const limits = [
    read('/sys/fs/cgroup/memory.max'),
    read('/sys/fs/cgroup/memory/memory.limit_in_bytes'),
  ].map((text) => positive(text));
  const bytes = Math.min(machineBytes, ...limits);
  return Math.min(gibibyte, Math.floor(bytes * poolShare));
}

/** Programs that execute at once: four for each processor that the process may use, within bounds. */
export function concurrencyOf(
  read: ReadText = readText,
  processors = availableParallelism(),
): number {
  const [quota, period] = read('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
    read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
  ];
  const granted = Math.ceil(positive(quota) / positive(period));
  const usable = Number.isNaN(granted) ? processors : Math.min(processors, granted);
  return Math.min(64, Math.max(4, usable * 4));
}

/** `max`, `-1` and nothing at all stand for no limit. */
function positive(text: string | undefined): number {
  const value = Number(text?.trim());
  return value > 0 ? value : Number.POSITIVE_INFINITY;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
