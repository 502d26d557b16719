/** The order in which bindings are bound: each after the bindings to which it refers, ties by name. Cycles are detected (docs/lir.md §9.1). */

import {
  bindingOf,
  bindingRoots,
  crossingsOf,
  inputsOf,
  type Node,
  nodeOf,
  type Query,
} from '#lir';

export interface Dependencies {
  /** Names in binding order. If there is a cycle, some bindings are missing. */
  readonly order: readonly string[];
  /** A binding that depends on itself. */
  readonly cycle: string | undefined;
  /** Names to which the main tree or another binding refers. */
  readonly referenced: ReadonlySet<string>;
  /** Nodes whose expressions contain crossings. */
  readonly crossed: ReadonlySet<string>;
}

export function dependenciesOf(query: Query): Dependencies {
  const names = Object.keys(query.bindings ?? {}).sort();
  const crossed = new Set<string>();
  const below = (roots: readonly string[]) => referencesBelow(query, roots, crossed);
  const uses = new Map(names.map((name) => [name, below(rootsOf(query, name))]));
  const referenced = new Set(below([query.root.node]));
  for (const [name, used] of uses)
    for (const other of used) if (other !== name) referenced.add(other);
  const order = orderOf(names, uses);
  const done = new Set(order);
  const stuck = names.filter((name) => !done.has(name));
  return { order, cycle: stuck[0] && cycleFrom(stuck[0], uses, done), referenced, crossed };
}

function orderOf(
  names: readonly string[],
  uses: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const waiting = new Map<string, number>();
  const users = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const name of names) {
    const used = [...(uses.get(name) ?? [])].filter((other) => uses.has(other));
    waiting.set(name, used.length);
    for (const other of used) users.get(other)?.push(name);
  }
  const ready = names.filter((name) => waiting.get(name) === 0);
  const order: string[] = [];
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    order.push(next);
    const before = ready.length;
    for (const user of users.get(next) ?? []) {
      const left = (waiting.get(user) ?? 0) - 1;
      waiting.set(user, left);
      if (left === 0) ready.push(user);
    }
    if (ready.length > before) ready.sort();
  }
  return order;
}

/** Follows unfinished dependencies until a name occurs again. */
function cycleFrom(
  start: string,
  uses: ReadonlyMap<string, ReadonlySet<string>>,
  done: ReadonlySet<string>,
): string {
  const seen = new Set<string>();
  let at = start;
  while (!seen.has(at)) {
    seen.add(at);
    const used = [...(uses.get(at) ?? [])].sort();
    at = used.find((name) => uses.has(name) && !done.has(name)) ?? at;
  }
  return at;
}

function rootsOf(query: Query, name: string): readonly string[] {
  const binding = bindingOf(query, name);
  return binding === undefined ? [] : bindingRoots(binding);
}

/** Returns the names in the `ref` nodes at and below `roots`, including nodes inside crossings. Adds the nodes that contain crossings to `crossed`. */
function referencesBelow(
  query: Query,
  roots: readonly string[],
  crossed: Set<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open: string[] = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodeOf(query, id) as Node;
    if (node.kind === 'ref') found.add(node.binding);
    for (const input of inputsOf(node)) open.push(input);
    for (const crossing of crossingsOf(node)) {
      crossed.add(id);
      open.push(crossing.node);
    }
  }
  return found;
}
