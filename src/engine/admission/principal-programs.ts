/** Counts the open requests of principals whose number of simultaneous requests is limited. */

import type { Principal } from '#access';
import { fail } from '#failure';

export class PrincipalPrograms {
  private readonly open = new Map<string, number>();

  /** Throws `overloaded` if the principal already has the maximum number of open requests. */
  enter(principal: Principal): void {
    const { concurrency } = principal.limits;
    if (concurrency === undefined) return;
    const { id } = principal;
    const count = this.open.get(id) ?? 0;
    if (count >= concurrency) {
      const detail = `the access token permits ${concurrency} requests at the same time (its limit concurrency); send the request again when another one has ended`;
      throw fail('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.open.set(id, count + 1);
  }

  leave(principal: Principal): void {
    if (principal.limits.concurrency === undefined) return;
    const { id } = principal;
    const count = (this.open.get(id) ?? 1) - 1;
    if (count === 0) this.open.delete(id);
    else this.open.set(id, count);
  }
}
