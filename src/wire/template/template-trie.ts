/**
 * A radix tree of templates over the text between their gaps. One walk finds the template of a text, however many templates share a prefix. The
 * walk ends at the first character that no template has.
 */

import { invariant } from '#base';
import { type GapKind, gapEnd, type TextTemplate } from './text-template.ts';

/** Maximum number of alternatives that one walk tries, since a gap of one template can be fixed text in another. The walk finds no template after that. */
const triesMax = 64;

interface Edge {
  text: string;
  node: Node;
}

interface GapNode {
  readonly kind: GapKind;
  readonly node: Node;
}

class Node {
  /** Edges by the first code unit of their texts. */
  readonly edges = new Map<number, Edge>();
  /** The gap at this position, after which its templates continue. All gaps here have one kind, since the same preceding text ends either inside or outside of a string. */
  gap: GapNode | undefined;
  /** Values of the templates that end here. */
  values: readonly unknown[] = [];
}

/** A position in a walk at which the text may also start a gap. */
interface Fork {
  readonly gap: GapNode;
  readonly at: number;
  readonly gaps: number;
}

export class TemplateTrie<T> {
  private readonly root = new Node();

  /** Calls `accept` with the values of all templates that match `text`, and returns its first result other than `undefined`. `gaps` is not modified after that. */
  find<R>(
    text: string,
    accept: (value: T, gaps: readonly string[]) => R | undefined,
  ): R | undefined {
    const gaps: string[] = [];
    let forks: Fork[] | undefined;
    let node = this.root;
    let at = 0;
    for (let tries = 0; ; ) {
      if (at === text.length) {
        for (const value of node.values) {
          const found = accept(value as T, gaps);
          if (found !== undefined) return found;
        }
      }
      let { gap } = node;
      const edge = node.edges.get(text.charCodeAt(at));
      if (edge !== undefined && text.startsWith(edge.text, at)) {
        if (gap !== undefined) {
          forks ??= [];
          forks.push({ gap, at, gaps: gaps.length });
        }
        at += edge.text.length;
        node = edge.node;
        continue;
      }
      let end = gap === undefined ? -1 : gapEnd(gap.kind, text, at);
      while (gap === undefined || end < 0) {
        const fork: Fork | undefined = forks?.pop();
        if (fork === undefined || ++tries > triesMax) return undefined;
        ({ gap, at } = fork);
        gaps.length = fork.gaps;
        end = gapEnd(gap.kind, text, at);
      }
      gaps.push(text.slice(at, end));
      at = end;
      node = gap.node;
    }
  }

  /** Adds a value to a template. Returns all values of the template. */
  add({ segments, kinds }: TextTemplate, value: T): readonly T[] {
    let node = this.root;
    for (let i = 0; i < segments.length; i++) {
      node = extended(node, segments[i] as string);
      const kind = kinds[i];
      if (kind === undefined) continue;
      node.gap ??= { kind, node: new Node() };
      invariant(
        node.gap.kind === kind,
        'a position of a text is either inside or outside of a string',
      );
      node = node.gap.node;
    }
    node.values = [...node.values, value];
    return node.values as readonly T[];
  }

  /** Removes a value. The template must be the one with which the value was added. */
  remove({ segments, kinds }: TextTemplate, value: T): void {
    const path: { readonly above: Node; readonly edge: Edge | undefined }[] = [];
    let node = this.root;
    for (let i = 0; i < segments.length; i++) {
      for (let rest = segments[i] as string; rest !== ''; ) {
        const edge = node.edges.get(rest.charCodeAt(0)) as Edge;
        path.push({ above: node, edge });
        node = edge.node;
        rest = rest.slice(edge.text.length);
      }
      if (kinds[i] === undefined) continue;
      path.push({ above: node, edge: undefined });
      node = (node.gap as GapNode).node;
    }
    node.values = node.values.filter((other) => other !== value);
    for (let step = path.pop(); step !== undefined; step = path.pop()) prune(step.above, step.edge);
  }
}

/** Returns the node at the end of the path `text` from `start`, and creates missing nodes. */
function extended(start: Node, text: string): Node {
  let node = start;
  for (let rest = text; rest !== ''; ) {
    const edge = node.edges.get(rest.charCodeAt(0));
    if (edge === undefined) {
      const end = new Node();
      node.edges.set(rest.charCodeAt(0), { text: ownText(rest), node: end });
      return end;
    }
    const common = commonLength(edge.text, rest);
    if (common < edge.text.length) split(edge, common);
    node = edge.node;
    rest = rest.slice(common);
  }
  return node;
}

function split(edge: Edge, at: number): void {
  const middle = new Node();
  const below = { text: ownText(edge.text.slice(at)), node: edge.node };
  middle.edges.set(edge.text.charCodeAt(at), below);
  edge.text = ownText(edge.text.slice(0, at));
  edge.node = middle;
}

/** Returns a copy of a slice, because a slice keeps the whole original string in memory. A lone surrogate is preserved. */
function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Removes the node below `above`, along `edge` or after its gap, if it has no value, gap or edge. If it has only one edge, joins that edge with `edge`. */
function prune(above: Node, edge: Edge | undefined): void {
  const below = edge?.node ?? above.gap?.node;
  if (below === undefined || below.values.length > 0 || below.gap !== undefined) return;
  if (below.edges.size === 0) {
    if (edge === undefined) above.gap = undefined;
    else above.edges.delete(edge.text.charCodeAt(0));
  } else if (below.edges.size === 1 && edge !== undefined) {
    const [only] = [...below.edges.values()] as [Edge];
    edge.text += only.text;
    edge.node = only.node;
  }
}
