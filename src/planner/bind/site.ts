/** Where an expression stands: its node and role, what it can see, and whether crossings are allowed there. */

import type { DatabaseError, Reason } from '#failure';
import type { BindContext } from './context.ts';
import type { Enclosing, Scopes } from './scope.ts';

export class Site {
  readonly context: BindContext;
  readonly node: string;
  readonly role: string;
  readonly scopes: Scopes;
  readonly enclosing: Enclosing | undefined;
  /** Why a crossing is refused here; undefined where it is allowed. */
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

  withoutCrossings(refusal: string): Site {
    return new Site(this.context, this, this, this.crossingRefusal ?? refusal);
  }

  reject(part: object, reason: Reason, detail: string, scope?: string): DatabaseError {
    const { node, role } = this;
    return this.context.reject(part, reason, detail, { node, role, ...(scope && { scope }) });
  }
}
