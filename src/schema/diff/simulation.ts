/** Takes steps on a catalog that nobody sees, by the catalog's own rules: what they refuse, a migration cannot do. */

import type { Pace, Steps } from '#base';
import { applyChange, type Catalog, type CatalogChange } from '#catalog';
import { DatabaseError } from '#failure';
import { isStart, type Step } from './step.ts';

/** What a change of the catalog costs, measured in rows of work. */
const stepWork = 64;

export class Simulation {
  catalog: Catalog;
  readonly rejections: string[] = [];

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /** Steps that start work change nothing yet; a refused step is left out, but for its id. */
  *take(steps: readonly Step[], pace: Pace): Steps<void> {
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

  /** What is refused for its id takes the free one that the refusal names, so that the next refusal names another one. */
  private takeUnderFreeId(action: CatalogChange): void {
    const renumbered = withoutId(action);
    if (renumbered === undefined) return;
    try {
      this.catalog = applyChange(this.catalog, renumbered).catalog;
    } catch (error) {
      // Refused for something else, which has been told.
      if (!(error instanceof DatabaseError)) throw error;
    }
  }
}

/** Undefined for what gets no id. */
function withoutId(action: CatalogChange): CatalogChange | undefined {
  if (action.kind === 'create_table') {
    const { id: _, ...table } = action.table;
    return { ...action, table };
  }
  if (action.kind !== 'create_column') return undefined;
  const { id: _, ...column } = action.column;
  return { ...action, column };
}
