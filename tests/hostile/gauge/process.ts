/** What Linux tells about a process: memory, processor time, and how long its main thread ran or waited for a processor. */

import { openSync, readFileSync, readSync, writeFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Peak resident set since the process began, or since `resetPeak`. */
export function peakMib(pid: number): number {
  return statusMib(pid, 'VmHWM');
}

export function residentMib(pid: number): number {
  return statusMib(pid, 'VmRSS');
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Of all threads, user and system, in ms; a tick is 10 ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000;
}

export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

function statusMib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

export interface ThreadTimes {
  readonly ranMs: number;
  /** Ready to run, but another thread had the processor: noise of a busy machine. */
  readonly waitedMs: number;
}

/** Reads the times of a main thread again and again, cheaply. */
export function openThreadTimes(pid: number | 'self'): () => ThreadTimes {
  const fd = openSync(`/proc/${pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(96);
  let last: ThreadTimes = { ranMs: 0, waitedMs: 0 };
  return () => {
    try {
      const length = readSync(fd, buffer, 0, 96, 0);
      const [ran, waited] = buffer.toString('latin1', 0, length).split(' ');
      last = { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
    } catch {
      // The process has ended: its last times stand.
    }
    return last;
  };
}
