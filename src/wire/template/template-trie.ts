/**
 * Templates found by a text of theirs in one walk, however many begin alike: a radix tree over what stands between the gaps. Where a text has left
 * all templates is seen at the first character that none of them has.
 */

import { invariant } from '#base';
import { type GapKind, gapEnd, type TextTemplate } from './text-template.ts';

/** Ways that a text can be read: what is a gap of one template can be given in another. Beyond so many tries it is not found. */
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
  /** By the first code unit of their texts. */
  readonly edges = new Map<number, Edge>();
  /** Templates with a gap here go on behind it. All are of one kind: the same text before stands inside or outside of a string. */
  gap: GapNode | undefined;
  /** Of templates that end here. */
  values: readonly unknown[] = [];
}

/** A place in a walk from which the text can be read in another way. */
interface Fork {
  readonly gap: GapNode;
  readonly at: number;
  readonly gaps: number;
}

export class TemplateTrie<T> {
  private readonly root = new Node();

  /** What `accept` makes of the first value that it accepts, of all whose template `text` is of. `gaps` is not changed once something is accepted. */
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

  /** Returns all values of that template. */
  add({ segments, kinds }: TextTemplate, value: T): readonly T[] {
    let node = this.root;
    for (let i = 0; i < segments.length; i++) {
      node = extended(node, segments[i] as string);
      const kind = kinds[i];
      if (kind === undefined) continue;
      node.gap ??= { kind, node: new Node() };
      invariant(node.gap.kind === kind, 'a place of a text is inside of a string, or outside');
      node = node.gap.node;
    }
    node.values = [...node.values, value];
    return node.values as readonly T[];
  }

  /** `template` is the one that `value` was added with. */
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

/** The node at the end of `text`, from `start` on. */
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

/** A slice keeps the whole text in memory that it was cut out of. Half of a pair of surrogates stays what it is. */
function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Below `above`, along `edge` or behind its gap: what nobody needs any more goes, and what need not be two edges is one. */
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
