/** What generated programs consisted of and how they ended, counted. */

import type { Run } from './compare.ts';

export class Coverage {
  programs = 0;
  /** Programs with a list as result, and those of them without a row in it. */
  lists = 0;
  emptyLists = 0;
  /** By kind of statement, node, expression and so on. */
  readonly parts = new Map<string, number>();
  /** Programs of which it is known what techniques of the planner they are about, and how many are about each. */
  looked = 0;
  readonly techniques = new Map<string, number>();
  /** By how programs ended: done, ambiguous, open, or the reason of the refusal. */
  readonly outcomes = new Map<string, number>();

  readonly add = ({ program, expected, operators, techniques }: Run): void => {
    this.programs++;
    if (techniques !== undefined) this.looked++;
    for (const technique of techniques ?? []) count(this.techniques, technique);
    for (const operator of operators) count(this.parts, `operator ${operator}`);
    for (const statement of program.statements) {
      const isOrdered = 'ordered' in statement && statement.ordered === true;
      count(this.parts, `statement ${isOrdered ? 'ordered ' : ''}${statement.kind}`);
      if ('relation' in statement) this.addParts(statement.relation);
    }
    count(this.outcomes, outcomeOf(expected));
    if (expected.kind !== 'done' || expected.rows === undefined) return;
    this.lists++;
    if (expected.rows.length === 0) this.emptyLists++;
  };

  private addParts(part: unknown): void {
    if (part === null || typeof part !== 'object') return;
    const { kind, op, join, quantifier, accumulation, fn, unordered, check, nulls } =
      part as Record<string, unknown>;
    if (typeof nulls === 'string') count(this.parts, `nulls ${nulls}`);
    if (check === true) count(this.parts, 'checked scalar');
    if (unordered === true) count(this.parts, 'unordered root');
    if (typeof kind === 'string') {
      const detail = [op, join, quantifier, accumulation].filter(
        (word) => typeof word === 'string',
      );
      count(this.parts, [kind, ...detail].join(' '));
    }
    if (kind === 'call') count(this.parts, `call ${fn}`);
    else if (typeof fn === 'string') count(this.parts, `fold ${fn}`);
    for (const inner of Object.values(part)) this.addParts(inner);
  }

  share(outcome: string): number {
    return (this.outcomes.get(outcome) ?? 0) / this.programs;
  }

  /** Two tables, for people. */
  toText(): string {
    const empty = percent(this.emptyLists, this.lists);
    return [
      `${this.programs} programs; ${empty} of ${this.lists} lists are empty`,
      '',
      ...tableOf(this.outcomes, this.programs),
      '',
      `plans of ${this.looked} programs that would be others without a technique`,
      ...tableOf(this.techniques, this.looked),
      '',
      ...tableOf(this.parts, undefined),
    ].join('\n');
  }
}

function outcomeOf(expected: Run['expected']): string {
  if (expected.kind === 'done') return expected.isAmbiguous ? 'done, ambiguous' : 'done';
  return `${expected.kind} ${expected.errors[0]?.reason}`;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function tableOf(counts: ReadonlyMap<string, number>, whole: number | undefined): string[] {
  const entries = [...counts].sort((a, b) => b[1] - a[1]);
  return entries.map(([name, n]) => {
    const share = whole === undefined ? '' : percent(n, whole).padStart(8);
    return `${name.padEnd(40)}${String(n).padStart(9)}${share}`;
  });
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(whole, 1)) * 100).toFixed(1)}%`;
}
