/** Readable plans (docs/pir.md §9, `show-plan`): one entry per relational statement, as a tree of objects and as text. */

import type { Steps, YieldPolicy } from '#base';
import { plansBelow } from '../plan/inputs.ts';
import type { ProgramPlan, QueryPlan } from '../plan/program.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { type Details, detailsOf, type ExplainContext } from './details.ts';

export interface Explanation {
  readonly statements: readonly Statement[];
}

interface Statement {
  readonly name: string;
  readonly view: QueryView;
  readonly text: string;
}

interface QueryView {
  readonly bindings: readonly PartView[];
  readonly root: NodeView;
}

/** One body of a binding. */
interface PartView {
  readonly title: string;
  readonly root: NodeView;
}

interface NodeView {
  readonly operator: RelationPlan['kind'];
  readonly id: number;
  /** Id of the LIR node. */
  readonly node?: string;
  readonly estimated_rows: number;
  /** Source of the estimate; absent if the estimate follows from the inputs. */
  readonly estimated_from?: string;
  readonly rows_max?: number;
  readonly order?: readonly string[];
  readonly details: Details;
  /** The inputs, followed by the plans of crossings. */
  readonly inputs: readonly NodeView[];
}

/** Work of showing a node, measured in rows. */
const workOfNode = 16;
/** Number of characters of an expression that take about as long to write as one row of work. */
const charactersOfRow = 64;

/** Renders a plan, and yields between nodes as `pace` demands. With `hidesLiterals`, the result describes the whole statement family of the program. */
export function* explainProgramSteps(
  plan: ProgramPlan,
  pace: YieldPolicy,
  hidesLiterals = false,
): Steps<Explanation> {
  const statements: Statement[] = [];
  for (const statement of plan.statements) {
    if (statement.kind === 'catalog') continue;
    const wait = pace.pause(Infinity);
    if (wait !== undefined) yield wait;
    const { parameters, tableEstimates } = plan;
    const view = yield* viewOf(statement.query, {
      known: { parameters, tableEstimates, hidesLiterals },
      pace,
    });
    statements.push({ name: statement.name, view, text: yield* textOf(view, pace) });
  }
  return { statements };
}

interface Around {
  readonly known: ExplainContext;
  readonly pace: YieldPolicy;
}

function* viewOf({ bindings, root }: QueryPlan, around: Around): Steps<QueryView> {
  const parts: PartView[] = [];
  for (const binding of bindings) {
    const title = `binding ${binding.name}`;
    if (binding.kind === 'derived') {
      parts.push({ title, root: yield* nodeView(binding.plan, around) });
    } else {
      const step = `${title}, step, accumulating ${binding.accumulation}`;
      parts.push({ title: `${title}, anchor`, root: yield* nodeView(binding.anchor, around) });
      parts.push({ title: step, root: yield* nodeView(binding.step, around) });
    }
  }
  return { bindings: parts, root: yield* nodeView(root, around) };
}

/** Builds the views of a tree without recursion. In a deep chain of generators, each yield would pass through all levels above it. */
function* nodeView(root: RelationPlan, { known, pace }: Around): Steps<NodeView> {
  const top: NodeView[] = [];
  const open = [{ plan: root, among: top }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inputs: NodeView[] = [];
    const view = viewAlone(next.plan, known, inputs);
    next.among.push(view);
    const below = plansBelow(next.plan).map((plan) => ({ plan, among: inputs }));
    open.push(...below.reverse());
    const wait = pace.pause(workOfNode + lengthOf(view.details) / charactersOfRow);
    if (wait !== undefined) yield wait;
  }
  return top[0] as NodeView;
}

function lengthOf(details: Details): number {
  let length = 0;
  for (const detail of Object.values(details)) {
    if (typeof detail === 'string') length += detail.length;
    else if (typeof detail !== 'number') for (const part of detail) length += part.length;
  }
  return length;
}

function viewAlone(
  plan: RelationPlan,
  known: ExplainContext,
  inputs: readonly NodeView[],
): NodeView {
  const { kind: operator, id, facts } = plan;
  return {
    operator,
    id,
    ...(facts && { node: facts.node }),
    estimated_rows: plan.estimatedRows,
    ...(plan.estimatedFrom && { estimated_from: plan.estimatedFrom }),
    ...(facts?.rowsMax !== undefined && !known.hidesLiterals && { rows_max: facts.rowsMax }),
    ...(facts && facts.order.length > 0 && { order: facts.order }),
    details: detailsOf(plan, known),
    inputs,
  };
}

function* textOf({ bindings, root }: QueryView, pace: YieldPolicy): Steps<string> {
  const lines: string[] = [];
  for (const part of bindings) {
    lines.push(`${part.title}:`);
    yield* addLines(part.root, 1, { lines, pace });
  }
  yield* addLines(root, 0, { lines, pace });
  return lines.join('\n');
}

/** Maximum indent in levels. Without a limit, a chain of thousands of nodes would print megabytes of blanks. */
const indentMax = 40;

interface Page {
  readonly lines: string[];
  readonly pace: YieldPolicy;
}

function* addLines(root: NodeView, indent: number, { lines, pace }: Page): Steps<void> {
  const open = [{ view: root, depth: indent }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { view, depth } = next;
    lines.push('  '.repeat(Math.min(depth, indentMax)) + lineOf(view));
    open.push(...view.inputs.map((input) => ({ view: input, depth: depth + 1 })).reverse());
    const wait = pace.pause(workOfNode);
    if (wait !== undefined) yield wait;
  }
}

function lineOf(view: NodeView): string {
  const { operator, details, estimated_rows, estimated_from, rows_max, order } = view;
  const parts = Object.entries(details).flatMap(([name, value]) =>
    Array.isArray(value) && value.length === 0
      ? []
      : [`${name} ${Array.isArray(value) ? value.join(', ') : value}`],
  );
  const facts = [
    `~${estimated_rows} rows${estimated_from === undefined ? '' : `, ${estimated_from}`}`,
    ...(rows_max === undefined ? [] : [`at most ${rows_max}`]),
    ...(order === undefined ? [] : [`ordered by ${order.join(', ')}`]),
  ];
  return [operator.replace('_', ' '), ...parts, `[${facts.join('; ')}]`].join(' | ');
}
