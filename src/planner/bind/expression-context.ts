/** The position of an expression: its node and role, the names that it can see, and whether it may contain crossings. */

import type { DatabaseError, Reason } from '#failure';
import type { BindContext } from './context.ts';
import type { Enclosing, Scopes } from './scope.ts';

export class ExpressionContext {
  readonly context: BindContext;
  readonly node: string;
  readonly role: string;
  readonly scopes: Scopes;
  readonly enclosing: Enclosing | undefined;
  /** The reason for which a crossing is refused here; `undefined` if it is allowed. */
  readonly crossingRefusal: string | undefined;

  constructor(
    context: BindContext,
    place: { readonly node: string; readonly role: string },
    visible: { readonly scopes: Scopes; readonly enclosing: Enclosing | undefined },
    crossingRefusal?: string,
  ) {
    this.context = context;
    this.node = place.node;
    this.role = place.role;
    this.scopes = visible.scopes;
    this.enclosing = visible.enclosing;
    this.crossingRefusal = crossingRefusal;
  }

  withoutCrossings(refusal: string): ExpressionContext {
    return new ExpressionContext(this.context, this, this, this.crossingRefusal ?? refusal);
  }

  reject(part: object, reason: Reason, detail: string, scope?: string): DatabaseError {
    const { node, role } = this;
    return this.context.reject(part, reason, detail, { node, role, ...(scope && { scope }) });
  }
}
