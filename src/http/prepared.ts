/**
 * Programs that were planned before, found again by their text: a body that differs from an earlier one only in literals and cells is not parsed,
 * checked, bound or planned again. A cache may forget anything at any time; the full path gives the same answer.
 */

import type { PreparedProgram } from '#engine';
import { ProgramTemplate } from '#wire';
import { retainedSize } from './retained-size.ts';

interface Entry {
  readonly template: ProgramTemplate;
  readonly program: PreparedProgram;
  /** Of the template and the plan, which is much larger than its text. */
  readonly bytes: number;
  /** When it was last found, or else added, as a count of both. */
  usedAt: number;
}

interface PreparedHit {
  readonly program: PreparedProgram;
  readonly parameters: ReturnType<ProgramTemplate['read']> & {};
  /** Drops the entry: its plan no longer holds. */
  forget(): void;
}

/** Longer bodies are bulk data: their time goes into the data, and they hardly come again. */
const bodyLengthMax = 16_384;
/** Of all entries together. */
export const preparedBytesMax = 32 << 20;
const perKeyMax = 8;
const recentMax = 4;

/** What plans and their catalog share. */
const shared: ReadonlySet<string> = new Set(['catalog', 'catalogAfter', 'table', 'index']);

export class PreparedPrograms {
  /** Programs of one key begin with the same text. */
  private readonly entries = new Map<string, Entry[]>();
  private recent: Entry[] = [];
  private bytes = 0;
  private uses = 0;

  /** What the entries keep in memory. */
  get retainedBytes(): number {
    return this.bytes;
  }

  find(body: string): PreparedHit | undefined {
    if (body.length > bodyLengthMax) return undefined;
    for (const entry of this.recent) {
      const parameters = entry.template.read(body);
      if (parameters !== undefined) return this.hit(entry, parameters);
    }
    for (const entry of this.entries.get(keyOf(body)) ?? []) {
      const parameters = entry.template.read(body);
      if (parameters === undefined) continue;
      this.recent = [entry, ...this.recent.slice(0, recentMax - 1)];
      return this.hit(entry, parameters);
    }
    return undefined;
  }

  /** `document` is what `body` parsed to, and what `program` was planned from. */
  add(body: string, document: unknown, program: PreparedProgram): void {
    if (body.length > bodyLengthMax) return;
    const template = new ProgramTemplate(body, document, program.sources, program.parameters);
    const key = keyOf(body);
    const sharing = this.entries.get(key) ?? [];
    const dropped = sharing.length < perKeyMax ? undefined : sharing.reduce(earlier);
    this.bytes -= dropped?.bytes ?? 0;
    const bytes = retainedSize([template, program], shared);
    const added = { template, program, bytes, usedAt: ++this.uses };
    this.entries.set(key, [...sharing.filter((entry) => entry !== dropped), added]);
    this.bytes += bytes;
    this.evict();
  }

  private hit(entry: Entry, parameters: PreparedHit['parameters']): PreparedHit {
    entry.usedAt = ++this.uses;
    return { program: entry.program, parameters, forget: () => this.forget(entry) };
  }

  private forget(entry: Entry): void {
    this.recent = this.recent.filter((candidate) => candidate !== entry);
    for (const [key, sharing] of this.entries) {
      if (!sharing.includes(entry)) continue;
      const kept = sharing.filter((candidate) => candidate !== entry);
      this.bytes -= entry.bytes;
      if (kept.length > 0) this.entries.set(key, kept);
      else this.entries.delete(key);
    }
  }

  /** Drops what was used longest ago until the others fit: a look at all of them is little beside the planning of one. */
  private evict(): void {
    while (this.bytes > preparedBytesMax && this.entries.size > 0) {
      let oldest: Entry | undefined;
      for (const sharing of this.entries.values()) {
        for (const entry of sharing) oldest = oldest === undefined ? entry : earlier(oldest, entry);
      }
      this.forget(oldest as Entry);
    }
  }
}

/** Of two, the one that was used longer ago. */
function earlier(one: Entry, other: Entry): Entry {
  return one.usedAt <= other.usedAt ? one : other;
}

/** The text before the first place where a literal or a row can stand: all texts of one template share it. */
function keyOf(body: string): string {
  const literal = body.indexOf('"value"');
  const row = body.indexOf('"rows"');
  const first = row < 0 || (literal >= 0 && literal < row) ? literal : row;
  return first < 0 ? body : body.slice(0, first);
}
