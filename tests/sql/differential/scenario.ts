/** A scenario: first rows, then statements that run on both sides, each compared, with the tables afterwards. */

import { Choices } from '../../generative/choices.ts';
import { differenceOf } from './compare.ts';
import { type Statement, statementOf } from './generate/statement.ts';
import type { Side } from './sides.ts';
import { insertRows, rowsOf, type Table, tables } from './tables.ts';

export interface ScenarioNumbers {
  readonly rows: readonly number[];
  readonly statements: readonly (readonly number[])[];
}

export interface Difference {
  readonly inserts: readonly string[];
  /** The statements that both sides accepted before. */
  readonly before: readonly Statement[];
  readonly statement: Statement;
  readonly text: string;
}

/** Statements by outcome. A refusal (`0A000`) is counted by its message. */
export class Tally {
  statements = 0;
  compared = 0;
  failedAlike = 0;
  readonly refusals = new Map<string, number>();

  refuse(message: string): void {
    const kind = message.replaceAll(/"[^"]*"/g, '"…"');
    this.refusals.set(kind, (this.refusals.get(kind) ?? 0) + 1);
  }

  toText(): string {
    const refused = [...this.refusals].toSorted(([, a], [, b]) => b - a);
    const total = refused.reduce((sum, [, count]) => sum + count, 0);
    const lines = refused.map(([kind, count]) => `  ${String(count).padStart(6)}  ${kind}`);
    return [
      `${this.statements} statements: ${this.compared} compared (${this.failedAlike} of them failed alike), ${total} refused by svc`,
      ...lines,
    ].join('\n');
  }
}

export async function runScenario(
  numbers: ScenarioNumbers,
  svc: Side,
  postgres: Side,
  tally: Tally,
): Promise<Difference | undefined> {
  const choices = new Choices(numbers.rows);
  const inserts = tables.flatMap((table) => insertRows(table, rowsOf(table, choices)) ?? []);
  await Promise.all([svc.reset(inserts), postgres.reset(inserts)]);
  const before: Statement[] = [];
  for (const list of numbers.statements) {
    const statement = statementOf(new Choices(list));
    const verdict = await runStatement(statement, svc, postgres, tally);
    if (typeof verdict === 'object') return { inserts, before, statement, text: verdict.text };
    // A deviation has changed the tables of one side only.
    if (verdict === 'diverged') return undefined;
    if (statement.changes !== undefined) before.push(statement);
  }
  const text = await tableDifference(tables, svc, postgres);
  const statement = before.at(-1);
  if (text === undefined || statement === undefined) return undefined;
  return { inserts, before: before.slice(0, -1), statement, text };
}

type Verdict = 'same' | 'refused' | 'diverged' | { readonly text: string };

async function runStatement(
  statement: Statement,
  svc: Side,
  postgres: Side,
  tally: Tally,
): Promise<Verdict> {
  tally.statements++;
  const ours = await svc.run(statement.text, statement.parameters);
  if (ours.kind === 'failed' && ours.sqlstate === '0A000') {
    tally.refuse(ours.message);
    return 'refused';
  }
  const theirs = await postgres.run(statement.text, statement.parameters);
  const difference = differenceOf(statement, ours, theirs);
  if (difference !== undefined) return { text: difference };
  tally.compared++;
  if (ours.kind === 'failed' && theirs.kind === 'failed') tally.failedAlike++;
  if (statement.changes === undefined) return 'same';
  if (ours.kind !== theirs.kind) return 'diverged';
  const changed = tables.filter(({ name }) => name === statement.changes);
  const text = await tableDifference(changed, svc, postgres);
  return text === undefined ? 'same' : { text };
}

async function tableDifference(
  compared: readonly Table[],
  svc: Side,
  postgres: Side,
): Promise<string | undefined> {
  for (const { name, columns } of compared) {
    const text = `select ${columns.map((column) => column.name).join(', ')} from ${name}`;
    const [ours, theirs] = await Promise.all([svc.run(text, []), postgres.run(text, [])]);
    const read = { text, parameters: [], isOrdered: false, deviations: new Set<never>() };
    const difference = differenceOf(read, ours, theirs);
    if (difference !== undefined) return `table ${name} afterwards: ${difference}`;
  }
  return undefined;
}
