/**
 * The executions that one process reports to another, as plain data. The reporting process collects them in a `Recorder`, from which they are taken
 * periodically. The receiving process folds them in with `Feedback.absorb`. All sizes are bounded, and executions beyond a limit are dropped and counted.
 */

import type { Subject } from './channel.ts';
import type { ExecutionSample } from './model.ts';

/** Executions of one plan of a family. */
export interface ToldFamily {
  readonly family: string;
  /** Fingerprint of the tables that it reads. If they have changed meanwhile, the executions are ignored. */
  readonly ground: string;
  readonly stamp: string;
  readonly plan: string;
  readonly executions: readonly ExecutionSample[];
}

/** Cached results that were served: `count` results of the family with `rows` rows each. */
export interface ToldAppearance {
  readonly family: string;
  readonly rows: number;
  readonly count: number;
}

export interface Told {
  readonly families: readonly ToldFamily[];
  readonly frequency: readonly ToldAppearance[];
}

export const toldExecutionsMax = 4_096;
export const toldFamiliesMax = 512;
export const toldAppearancesMax = 1_024;
/** Maximum number of parts of a query that are reported per execution. */
export const toldPartsMax = 64;
/** Maximum approximate size of all texts and numbers as JSON. */
const toldBytesMax = 2 << 20;
/** Approximate JSON sizes: an execution without its observations, its work, and an observation without its name. */
const executionBytes = 80;
const workBytes = 200;
const observationBytes = 64;

interface Gathered extends ToldFamily {
  readonly executions: ExecutionSample[];
}

export class Recorder {
  /** Number of executions and appearances that were dropped at a limit. */
  dropped = 0;
  private families = new Map<Subject, Gathered>();
  private appearances = new Map<string, { family: string; rows: number; count: number }>();
  private executions = 0;
  private bytes = 0;

  add(subject: Subject, { rows, micros, variant, observations, work }: ExecutionSample): void {
    const known = this.families.get(subject);
    const told = observations.slice(0, toldPartsMax);
    let bytes = executionBytes + (work === undefined ? 0 : workBytes);
    for (const { part } of told) bytes += observationBytes + 3 * part.length;
    if (known === undefined) bytes += bytesOf(subject);
    const hasRoom =
      this.executions < toldExecutionsMax &&
      this.bytes + bytes <= toldBytesMax &&
      (known !== undefined || this.families.size < toldFamiliesMax);
    if (!hasRoom) {
      this.dropped++;
      return;
    }
    const { family, ground, stamp, plan } = subject;
    const gathered = known ?? { family, ground, stamp, plan, executions: [] };
    if (known === undefined) this.families.set(subject, gathered);
    gathered.executions.push({ rows, micros, variant, observations: told, work });
    this.executions++;
    this.bytes += bytes;
  }

  appeared(family: string, rows: number): void {
    const key = `${family} ${rows}`;
    const known = this.appearances.get(key);
    if (known !== undefined) known.count++;
    else if (this.appearances.size < toldAppearancesMax) {
      this.appearances.set(key, { family, rows, count: 1 });
    } else this.dropped++;
  }

  /** Returns and removes the records since the last call; `undefined` if there are none. */
  take(): Told | undefined {
    if (this.families.size === 0 && this.appearances.size === 0) return undefined;
    const families = [...this.families.values()];
    const frequency = [...this.appearances.values()];
    this.families = new Map();
    this.appearances = new Map();
    this.executions = 0;
    this.bytes = 0;
    return { families, frequency };
  }
}

function bytesOf({ family, ground, stamp, plan }: Subject): number {
  return 100 + 3 * (family.length + ground.length + stamp.length + plan.length);
}
