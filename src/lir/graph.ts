/** Checks the graph rules of docs/lir.md §3: every edge leads to a node, and every node has exactly one consumer. */

import type { Steps, YieldPolicy } from '#base';
import { fail, type ProblemLocation } from '#failure';
import { locate, pointerOf } from './pointer.ts';
import type { Node, Query } from './query.ts';
import { bindingOf, bindingRoots, crossingsOf, inputsOf, nodeOf } from './walk.ts';

/** A node whose edges are being followed: first its inputs, then the crossings of its expressions. */
interface Expansion {
  readonly id: string;
  readonly edges: readonly string[];
  next: number;
}

/** The start of an edge: a node, the root or a binding. The start is located in the document only if the edge is invalid. */
type Origin =
  | { readonly kind: 'node'; readonly id: string; readonly edge: number }
  | { readonly kind: 'root' }
  | { readonly kind: 'binding'; readonly name: string; readonly member: string };

type State = 'expanding' | 'done';

/** Cost of following an edge, in rows of work. */
const edgeWork = 8;

/** Throws for the first violation on the walk from the root and then from the bindings in order of their names. Yields as `pace` requires. */
export function* checkGraphSteps(query: Query, pace: YieldPolicy): Steps<void> {
  const walk = new GraphWalk(query, pace);
  yield* walk.from(query.root.node, { kind: 'root' });
  for (const name of Object.keys(query.bindings ?? {}).sort()) {
    const binding = bindingOf(query, name);
    if (binding === undefined) continue;
    const members = binding.kind === 'derived' ? ['node'] : ['anchor', 'step'];
    const roots = bindingRoots(binding);
    for (let i = 0; i < roots.length; i++) {
      yield* walk.from(roots[i] as string, { kind: 'binding', name, member: members[i] as string });
    }
  }
  walk.finish();
}

class GraphWalk {
  private readonly query: Query;
  private readonly pace: YieldPolicy;
  private readonly states = new Map<string, State>();
  private readonly open: Expansion[] = [];

  constructor(query: Query, pace: YieldPolicy) {
    this.query = query;
    this.pace = pace;
  }

  /** Follows every edge below `root`, depth first. */
  *from(root: string, origin: Origin): Steps<void> {
    this.enter(root, origin);
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) {
      const wait = this.pace.pause(edgeWork);
      if (wait !== undefined) yield wait;
      const edge = top.next++;
      const target = top.edges[edge];
      if (target === undefined) {
        this.states.set(top.id, 'done');
        this.open.pop();
      } else {
        this.enter(target, { kind: 'node', id: top.id, edge });
      }
    }
  }

  finish(): void {
    for (const id in this.query.nodes) {
      if (this.states.has(id)) continue;
      throw fail(
        'unreachable_node',
        `node ${quoted(id)} is not reached from the root or a binding`,
        {
          location: { pointer: pointerOf(['nodes', id]), node: id },
        },
      );
    }
  }

  private enter(id: string, origin: Origin): void {
    const node = nodeOf(this.query, id);
    const state = this.states.get(id);
    if (node === undefined) {
      throw fail('unknown_node', `unknown node ${quoted(id)}`, {
        location: this.locate(origin, id),
      });
    }
    if (state === 'expanding') {
      const detail = `node ${quoted(id)} is part of a cycle`;
      throw fail('node_cycle', detail, { location: this.locate(origin, id) });
    }
    if (state === 'done') {
      const detail = `node ${quoted(id)} has a second consumer, so its scopes would be bound twice (duplicate scope)`;
      throw fail('shared_node', detail, { location: this.locate(origin, id) });
    }
    this.states.set(id, 'expanding');
    this.open.push({ id, edges: edgesOf(node), next: 0 });
  }

  private locate(origin: Origin, target: string): ProblemLocation {
    if (origin.kind === 'root') return { pointer: '/root/node', node: target };
    if (origin.kind === 'binding') {
      const { name, member } = origin;
      return { pointer: pointerOf(['bindings', name, member]), node: target, binding: name };
    }
    const node = nodeOf(this.query, origin.id) as Node;
    const within = edgePointer(node, origin.edge);
    return { pointer: pointerOf(['nodes', origin.id]) + within, node: origin.id };
  }
}

function edgesOf(node: Node): readonly string[] {
  const inputs = inputsOf(node);
  const crossings = crossingsOf(node);
  return crossings.length === 0 ? inputs : [...inputs, ...crossings.map((c) => c.node)];
}

/** Returns the pointer of the edge with this index within its node. */
function edgePointer(node: Node, edge: number): string {
  const inputs = inputsOf(node).length;
  if (edge >= inputs) {
    const crossing = crossingsOf(node)[edge - inputs] as object;
    return `${locate(node, crossing) ?? ''}/node`;
  }
  if (node.kind === 'concatenate') return `/inputs/${edge}`;
  if ('input' in node) return '/input';
  return edge === 0 ? '/left' : '/right';
}

function quoted(id: string): string {
  return JSON.stringify(id);
}
