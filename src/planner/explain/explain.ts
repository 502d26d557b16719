/** Plans for people (pir.md §9, `show-plan`): one entry per relational statement, as a tree of objects and as text. */

import { plansBelow } from '../plan/inputs.ts';
import type { Parameter, ProgramPlan, QueryPlan } from '../plan/program.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { type Details, detailsOf } from './details.ts';

export interface Explanation {
  readonly statements: readonly {
    readonly name: string;
    readonly view: QueryView;
    readonly text: string;
  }[];
}

export interface QueryView {
  readonly bindings: readonly PartView[];
  readonly root: NodeView;
}

/** One body of a binding. */
interface PartView {
  readonly title: string;
  readonly root: NodeView;
}

export interface NodeView {
  readonly operator: RelationPlan['kind'];
  readonly id: number;
  /** LIR node. */
  readonly node?: string;
  readonly estimated_rows: number;
  readonly rows_max?: number;
  readonly order?: readonly string[];
  readonly details: Details;
  /** Inputs, then the plans of crossings. */
  readonly inputs: readonly NodeView[];
}

export function explainProgram(plan: ProgramPlan): Explanation {
  const statements = plan.statements.flatMap((statement) => {
    if (statement.kind === 'catalog') return [];
    const view = viewOf(statement.query, plan.parameters);
    return [{ name: statement.name, view, text: textOf(view) }];
  });
  return { statements };
}

function viewOf({ bindings, root }: QueryPlan, parameters: readonly Parameter[]): QueryView {
  const parts = bindings.flatMap((binding): PartView[] => {
    const title = `binding ${binding.name}`;
    if (binding.kind === 'derived') return [{ title, root: nodeView(binding.plan, parameters) }];
    const step = `${title}, step, accumulating ${binding.accumulation}`;
    return [
      { title: `${title}, anchor`, root: nodeView(binding.anchor, parameters) },
      { title: step, root: nodeView(binding.step, parameters) },
    ];
  });
  return { bindings: parts, root: nodeView(root, parameters) };
}

function nodeView(plan: RelationPlan, parameters: readonly Parameter[]): NodeView {
  const { kind: operator, id, facts } = plan;
  return {
    operator,
    id,
    ...(facts && { node: facts.node }),
    estimated_rows: plan.estimatedRows,
    ...(facts?.rowsMax !== undefined && { rows_max: facts.rowsMax }),
    ...(facts && facts.order.length > 0 && { order: facts.order }),
    details: detailsOf(plan, parameters),
    inputs: plansBelow(plan).map((input) => nodeView(input, parameters)),
  };
}

function textOf({ bindings, root }: QueryView): string {
  const lines: string[] = [];
  for (const part of bindings) {
    lines.push(`${part.title}:`);
    addLines(part.root, 1, lines);
  }
  addLines(root, 0, lines);
  return lines.join('\n');
}

/** Deeper nodes stay at this indent: a chain of thousands of nodes would otherwise print megabytes of blanks. */
const indentMax = 40;

function addLines(view: NodeView, depth: number, lines: string[]): void {
  lines.push('  '.repeat(Math.min(depth, indentMax)) + lineOf(view));
  for (const input of view.inputs) addLines(input, depth + 1, lines);
}

function lineOf({ operator, details, estimated_rows, rows_max, order }: NodeView): string {
  const parts = Object.entries(details).flatMap(([name, value]) =>
    Array.isArray(value) && value.length === 0
      ? []
      : [`${name} ${Array.isArray(value) ? value.join(', ') : value}`],
  );
  const facts = [
    `~${estimated_rows} rows`,
    ...(rows_max === undefined ? [] : [`at most ${rows_max}`]),
    ...(order === undefined ? [] : [`ordered by ${order.join(', ')}`]),
  ];
  return [operator.replace('_', ' '), ...parts, `[${facts.join('; ')}]`].join(' | ');
}
