/** What the machine, or the control group around the process, lets it have. */

import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** The text of a file, undefined when there is none. */
type ReadText = (path: string) => string | undefined;

const gibibyte = 2 ** 30;
const poolShare = 0.4;

/** Memory of all programs when no flag says how much. */
export function poolBytesDefault(read: ReadText = readText, machineBytes = totalmem()): number {
  const bytes = Math.min(machineBytes, memoryLimit(read));
  return Math.min(gibibyte, Math.floor(bytes * poolShare));
}

/** Programs that execute at once: four for each processor that the process may use, within bounds. */
export function concurrencyOf(
  read: ReadText = readText,
  processors = availableParallelism(),
): number {
  const [quota, period] = quotaOf(read);
  const granted = Math.ceil(quota / period);
  const usable = Number.isNaN(granted) ? processors : Math.min(processors, granted);
  return Math.min(64, Math.max(4, usable * 4));
}

interface ControlGroup {
  /** Infinity without a limit. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Undefined where there is no such file. */
  readonly throttledPeriods: number | undefined;
  readonly throttledSeconds: number | undefined;
}

/** The limits of the control group, and how often they were felt. */
export function controlGroup(read: ReadText = readText): ControlGroup {
  const [quota, period] = quotaOf(read);
  const statistics = read('/sys/fs/cgroup/cpu.stat') ?? read('/sys/fs/cgroup/cpu/cpu.stat') ?? '';
  const counted = (name: string, unit: number) => {
    const text = new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics)?.[1];
    return text === undefined ? undefined : Number(text) / unit;
  };
  return {
    cpus: Number.isFinite(quota) ? quota / period : Number.POSITIVE_INFINITY,
    memoryBytes: memoryLimit(read),
    throttledPeriods: counted('nr_throttled', 1),
    throttledSeconds: counted('throttled_usec', 1e6) ?? counted('throttled_time', 1e9),
  };
}

function memoryLimit(read: ReadText): number {
  return Math.min(
    positive(read('/sys/fs/cgroup/memory.max')),
    positive(read('/sys/fs/cgroup/memory/memory.limit_in_bytes')),
  );
}

/** Microseconds of processor in so many microseconds. */
function quotaOf(read: ReadText): readonly [quota: number, period: number] {
  const [quota, period] = read('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
    read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
  ];
  return [positive(quota), positive(period)];
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
