/** Applies steps to a private catalog by the rules of the catalog. A migration cannot do a step that these rules reject. */

import type { Steps, YieldPolicy } from '#base';
import { applyChange, type Catalog, type CatalogChange } from '#catalog';
import { DatabaseError } from '#failure';
import { isStart, type Step } from './step.ts';

/** Work per change of the catalog, in rows. */
const stepWork = 64;

export class Simulation {
  catalog: Catalog;
  readonly rejections: string[] = [];

  /** Policies are left out: the changes that they prevent are findings. */
  constructor({ policies: _, ...catalog }: Catalog) {
    this.catalog = catalog;
  }

  /** Applies the steps. Starts of transitions do not change the catalog. A rejected step is recorded and skipped. A rejected creation is tried again with a free id. */
  *take(steps: readonly Step[], pace: YieldPolicy): Steps<void> {
    for (const { action, change } of steps) {
      if (isStart(action)) continue;
      const wait = pace.pause(stepWork);
      if (wait !== undefined) yield wait;
      try {
        this.catalog = applyChange(this.catalog, action).catalog;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        const what = change === undefined ? '' : `${change.summary}: `;
        this.rejections.push(`${what}${error.message}`);
        this.takeUnderFreeId(action);
      }
    }
  }

  /** Applies a rejected creation with the free id that the rejection suggests, so that the next rejection suggests another id. */
  private takeUnderFreeId(action: CatalogChange): void {
    const renumbered = withoutId(action);
    if (renumbered === undefined) return;
    try {
      this.catalog = applyChange(this.catalog, renumbered).catalog;
    } catch (error) {
      // The step is rejected for another reason, which is reported already.
      if (!(error instanceof DatabaseError)) throw error;
    }
  }
}

/** Returns the creation without its id, `undefined` for any other change. */
function withoutId(action: CatalogChange): CatalogChange | undefined {
  if (action.kind === 'create_table') {
    const { id: _, ...table } = action.table;
    return { ...action, table };
  }
  if (action.kind !== 'create_column') return undefined;
  const { id: _, ...column } = action.column;
  return { ...action, column };
}
