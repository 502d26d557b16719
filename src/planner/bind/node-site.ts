/** The node that is being bound, with the names that are visible to it. */

import type { Steps } from '#base';
import type { DatabaseError, ProblemLocation, Reason } from '#failure';
import type { Node } from '#lir';
import type { BoundColumn } from './bound.ts';
import { type BindContext, quoted } from './context.ts';
import { ExpressionContext } from './expression-context.ts';
import { bindRelation } from './relation.ts';
import type { BoundInScope, RelationContext } from './relation-context.ts';
import { type Scope, type Scopes, scopeOf } from './scope.ts';

export class NodeSite {
  readonly context: BindContext;
  readonly id: string;
  readonly place: RelationContext;
  private readonly node: Node;

  constructor(context: BindContext, id: string, node: Node, place: RelationContext) {
    this.context = context;
    this.id = id;
    this.node = node;
    this.place = place;
  }

  /** Binds an input. If the input may not read the frontier of a recursion, `refusal` describes its position. */
  input(id: string, refusal?: string): Steps<BoundInScope> {
    const frontierRefusal = this.place.frontierRefusal ?? refusal;
    return bindRelation(this.context, id, { ...this.place, frontierRefusal });
  }

  /** Returns the node for an input that may not use the scopes of its siblings. */
  besides(scopes: Scopes): NodeSite {
    const enclosing = { kind: 'sibling', scopes, around: this.place.enclosing } as const;
    return new NodeSite(this.context, this.id, this.node, { ...this.place, enclosing });
  }

  /** Returns the context of an expression of the node. */
  site(role: string, scopes: Scopes, crossingRefusal?: string): ExpressionContext {
    const { context, id, place } = this;
    return new ExpressionContext(
      context,
      { node: id, role },
      { scopes, ...place },
      crossingRefusal,
    );
  }

  /** Returns the scopes that the node exposes to its consumer: its columns under its label, or no scope if it has no label. A label is bound once per document (docs/lir.md §4). */
  ownScope(columns: readonly BoundColumn[]): Map<string, Scope> {
    const { labels } = this.context;
    const label = 'scope' in this.node ? this.node.scope : undefined;
    if (label === undefined) return new Map();
    if (labels.has(label)) {
      const detail = `duplicate scope ${quoted(label)}: a label is bound once per query`;
      throw this.reject('duplicate_scope', detail, { scope: label });
    }
    labels.add(label);
    return new Map([[label, scopeOf(columns)]]);
  }

  checkWidth(columns: number): void {
    this.context.checkWidth(this.node, this.id, columns);
  }

  /** Rejects the node as `BindContext.reject` does. */
  reject(reason: Reason, detail: string, where: ProblemLocation = {}, beneath = ''): DatabaseError {
    return this.context.reject(this.node, reason, detail, { node: this.id, ...where }, beneath);
  }
}
