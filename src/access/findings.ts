/** Collects the findings in a request about keys, so that one response names all of them. */

import { type Finding, fail } from '#failure';
import { pointerOf } from '#lir';

const findingsMax = 512;

export class Findings {
  private readonly found: Finding[] = [];

  add(
    path: readonly (string | number)[],
    detail: string,
    reason: 'invalid' | 'unknown_table' = 'invalid',
  ): void {
    if (this.found.length === findingsMax) return;
    this.found.push({ reason, detail, location: { pointer: pointerOf(path) } });
  }

  /** Throws if there is a finding. The failure is that of the first one. */
  throwIfAny(): void {
    const [first] = this.found;
    if (first === undefined) return;
    const { reason, detail, location } = first;
    const errors = this.found.length > 1 ? { errors: this.found } : {};
    throw fail(reason, detail, { stage: 'preflight', ...(location && { location }), ...errors });
  }
}
