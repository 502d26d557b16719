/** All workloads once, and what they found. */

import { checkLists } from './check-lists.ts';
import { checkRegisters } from './check-registers.ts';
import { type DriveOptions, type DriveReport, drive } from './drive.ts';
import type { Anomaly } from './history.ts';
import { lists } from './lists.ts';
import { phantoms } from './phantoms.ts';
import { registers } from './registers.ts';

export const workloads = ['lists', 'registers', 'phantoms'] as const;
export type WorkloadName = (typeof workloads)[number];

export interface Verdict {
  readonly report: DriveReport;
  readonly anomalies: readonly Anomaly[];
}

export async function judge(name: WorkloadName, options: DriveOptions): Promise<Verdict> {
  if (name === 'phantoms') {
    const workload = phantoms();
    const report = await drive(workload, options);
    return { report, anomalies: workload.anomalies };
  }
  const workload = name === 'lists' ? lists(6) : registers(6);
  const report = await drive(workload, options);
  const check = name === 'lists' ? checkLists : checkRegisters;
  return { report, anomalies: check(workload.history) };
}
