/** Documents that are wrong in one place: one way for each rule that is checked before anything runs. All keep the grammar. */

import type { Expression, Node, Query } from '#lir';
import type { Choices } from './choices.ts';

/** A document in the making that may be changed in place. */
interface Draft {
  nodes: Record<string, Record<string, unknown>>;
  bindings?: Record<string, Record<string, unknown>>;
  root: { node: string; cardinality: string };
}

type Sabotage = (draft: Draft, choices: Choices) => void;

const literal: Expression = { kind: 'lit', value: { type: 'int64', value: '1' } };
const truth: Expression = { kind: 'lit', value: { type: 'bool', value: true } };
const rows: Node = {
  kind: 'rows',
  scope: 'extra',
  columns: [{ name: 'x', type: 'int64' }],
  rows: [['1']],
};

const inputs = ['input', 'left', 'right'] as const;

const sabotages: readonly Sabotage[] = [
  function unknownNode(draft, choices) {
    edit(pickEdge(draft, choices), () => 'nobody');
  },
  function cycle(draft, choices) {
    edit(pickEdge(draft, choices), () => draft.root.node);
  },
  function shared(draft, choices) {
    const ids = Object.keys(draft.nodes);
    edit(pickEdge(draft, choices), () => choices.pick(ids));
  },
  function unreachable(draft) {
    draft.nodes['extra'] = { ...rows };
  },
  function unknownTable(draft, choices) {
    set(draft, choices, 'scan', (node) => ({ ...node, table: 'nothing' }));
  },
  function unknownColumn(draft, choices) {
    edit(pickColumn(draft, choices), (column) => ({ ...(column as object), column: 'nothing' }));
  },
  function unknownScope(draft, choices) {
    edit(pickColumn(draft, choices), (column) => ({ ...(column as object), scope: 'nowhere' }));
  },
  function otherScope(draft, choices) {
    const labels = Object.values(draft.nodes).flatMap(({ scope }) =>
      typeof scope === 'string' ? [scope] : [],
    );
    if (labels.length === 0) return;
    const scope = choices.pick(labels);
    edit(pickColumn(draft, choices), (column) => ({ ...(column as object), scope }));
  },
  function duplicateScope(draft, choices) {
    const labelled = Object.values(draft.nodes).filter(({ scope }) => scope !== undefined);
    if (labelled.length < 2) return;
    choices.pick(labelled)['scope'] = choices.pick(labelled)['scope'];
  },
  function unknownBinding(draft, choices) {
    const kind = choices.pick(['ref', 'recursive_ref'] as const);
    const leaf = choices.pick(['scan', 'rows'] as const);
    set(draft, choices, leaf, ({ scope }) => ({ kind, binding: 'nobody', scope }));
  },
  function unusedBinding(draft) {
    draft.nodes['extra'] = { ...rows };
    draft.bindings = { ...draft.bindings, unused: { kind: 'derived', node: 'extra' } };
  },
  function bindingCircle(draft) {
    draft.nodes['extra'] = { kind: 'ref', binding: 'circle', scope: 'extra' };
    draft.bindings = { ...draft.bindings, circle: { kind: 'derived', node: 'extra' } };
  },
  function reservedName(draft, choices) {
    draft.nodes['extra'] = { ...rows };
    const name = choices.pick(['q0', 'q1']);
    draft.bindings = { ...draft.bindings, [name]: { kind: 'derived', node: 'extra' } };
  },
  function predicateType(draft, choices) {
    set(draft, choices, 'filter', (node) => ({ ...node, predicate: literal }));
  },
  function conditionType(draft, choices) {
    set(draft, choices, 'join', (node) => ({ ...node, on: literal }));
  },
  function wrongLiteral(draft, choices) {
    const value = choices.pick([
      { type: 'int64', value: '9223372036854775808' },
      { type: 'float64', value: '1e400' },
      { type: 'text', value: 'a' },
      { type: 'float64', value: '0.5' },
      { type: 'bool', value: true },
    ]);
    edit(pickPart(draft, choices, 'lit'), () => ({ kind: 'lit', value }));
  },
  function wrongCast(draft, choices) {
    const expr = { kind: 'lit', value: { type: 'text', value: 'a' } };
    edit(pickColumn(draft, choices), () => ({ kind: 'cast', expr, to: 'int64' }));
  },
  function scalarArity(draft) {
    draft.root.cardinality = 'scalar';
  },
  function firstOfMany(draft, choices) {
    draft.root.cardinality = choices.pick(['first', 'many'] as const);
    const root = draft.nodes[draft.root.node];
    if (root?.['kind'] === 'order') draft.root.node = root['input'] as string;
    delete draft.nodes[root?.['kind'] === 'order' ? rootOf(draft, root) : ''];
  },
  function offset(draft, choices) {
    const id = choices.pick(Object.keys(draft.nodes));
    draft.nodes['extra'] = { ...(draft.nodes[id] as Record<string, unknown>) };
    draft.nodes[id] = { kind: 'slice', input: 'extra', offset: 1 };
  },
  function dependentJoin(draft, choices) {
    set(draft, choices, 'join', (node) => {
      const left = draft.nodes[node['left'] as string];
      const scope = left?.['scope'] ?? 'nowhere';
      const expr = { kind: 'col', scope, column: choices.pick(['k0', 'c0', 'u0']) };
      const predicate = { kind: 'unary', op: 'is_null', expr };
      draft.nodes['extra'] = { kind: 'filter', input: node['right'], predicate };
      return { ...node, right: 'extra' };
    });
  },
  function collidingField(draft, choices) {
    set(draft, choices, 'project', (node) => {
      const fields = node['fields'] as Record<string, unknown>[] | undefined;
      return fields === undefined ? node : { ...node, fields: [...fields, choices.pick(fields)] };
    });
  },
  function missingField(draft, choices) {
    set(draft, choices, 'project', (node) => {
      const fields = (node['fields'] as unknown[] | undefined)?.slice(1) ?? [];
      return fields.length === 0 ? node : { ...node, fields };
    });
  },
  function namelessGroup(draft, choices) {
    set(draft, choices, 'aggregate', (node) => ({ ...node, groups: [{ expr: truth }] }));
  },
  function sumOfTruth(draft, choices) {
    set(draft, choices, 'aggregate', (node) => {
      return { ...node, aggs: [{ fn: choices.pick(['sum', 'avg', 'min']), as: 'y', arg: truth }] };
    });
  },
  function foldWithoutArgument(draft, choices) {
    set(draft, choices, 'aggregate', (node) => ({ ...node, aggs: [{ fn: 'max', as: 'y' }] }));
  },
  function crossingInCondition(draft, choices) {
    draft.nodes['extra'] = { ...rows };
    set(draft, choices, 'join', (node) => ({ ...node, on: { kind: 'exists', node: 'extra' } }));
  },
  function crossingInBranch(draft, choices) {
    draft.nodes['extra'] = { ...rows };
    const when = { kind: 'exists', node: 'extra' };
    edit(pickColumn(draft, choices), (column) => ({
      kind: 'branch',
      branches: [{ when, then: column }],
      else: column,
    }));
  },
  function unorderedCrossing(draft, choices) {
    draft.nodes['extra'] = { ...rows, rows: [['1'], ['2']] };
    const kind = choices.pick(['first', 'scalar', 'array'] as const);
    edit(pickColumn(draft, choices), () => ({ kind, node: 'extra' }));
  },
  function spread(draft, choices) {
    set(draft, choices, 'project', (node) => ({ ...node, spread: ['nowhere'] }));
  },
  function exchangedNodes(draft, choices) {
    const ids = Object.keys(draft.nodes);
    const [a, b] = [choices.pick(ids), choices.pick(ids)];
    const kept = draft.nodes[a] as Record<string, unknown>;
    draft.nodes[a] = draft.nodes[b] as Record<string, unknown>;
    draft.nodes[b] = kept;
  },
  function exchangedAccumulation(draft, choices) {
    for (const binding of Object.values(draft.bindings ?? {})) {
      if (binding['kind'] !== 'recursive' || choices.oneIn(2)) continue;
      [binding['anchor'], binding['step']] = [binding['step'], binding['anchor']];
    }
  },
  function forbiddenPosition(draft, choices) {
    const found = Object.keys(draft.nodes).filter(
      (id) => draft.nodes[id]?.['kind'] === 'recursive_ref',
    );
    if (found.length === 0) return;
    const id = choices.pick(found);
    draft.nodes['extra'] = draft.nodes[id] as Record<string, unknown>;
    const group = { expr: truth, as: 'u0' };
    draft.nodes[id] = choices.pick([
      { kind: 'slice', input: 'extra', limit: 3 },
      { kind: 'aggregate', input: 'extra', scope: 'more', groups: [group] },
    ]);
  },
];

/** The names of all ways to be wrong. */
export const sabotageCount = sabotages.length;

export function sabotage(query: Query, choices: Choices): Query {
  const draft = structuredClone(query) as unknown as Draft;
  choices.pick(sabotages)(draft, choices);
  return draft as unknown as Query;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly member: string;
}

function edit(place: Place | undefined, change: (part: unknown) => unknown): void {
  if (place !== undefined) place.holder[place.member] = change(place.holder[place.member]);
}

function set(
  draft: Draft,
  choices: Choices,
  kind: string,
  change: (node: Record<string, unknown>) => Record<string, unknown>,
): void {
  const ids = Object.keys(draft.nodes).filter((id) => draft.nodes[id]?.['kind'] === kind);
  if (ids.length === 0) return;
  const id = choices.pick(ids);
  draft.nodes[id] = change(draft.nodes[id] as Record<string, unknown>);
}

function pickEdge(draft: Draft, choices: Choices): Place | undefined {
  const edges = Object.values(draft.nodes).flatMap((holder): Place[] =>
    inputs.filter((member) => member in holder).map((member) => ({ holder, member })),
  );
  return edges.length === 0 ? undefined : choices.pick(edges);
}

const pickColumn = (draft: Draft, choices: Choices) => pickPart(draft, choices, 'col');

function pickPart(draft: Draft, choices: Choices, kind: string): Place | undefined {
  const found: Place[] = [];
  const visit = (holder: Record<string, unknown>) => {
    for (const [member, part] of Object.entries(holder)) {
      if (part === null || typeof part !== 'object') continue;
      if ((part as { kind?: string }).kind === kind) found.push({ holder, member });
      visit(part as Record<string, unknown>);
    }
  };
  visit(draft.nodes);
  return found.length === 0 ? undefined : choices.pick(found);
}

function rootOf(draft: Draft, node: Record<string, unknown>): string {
  return Object.keys(draft.nodes).find((id) => draft.nodes[id] === node) ?? '';
}
