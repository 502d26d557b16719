/** Takes steps on a catalog that nobody sees, by the catalog's own rules: what they refuse, a migration cannot do. */

import { applyChange, type Catalog } from '#catalog';
import { DatabaseError } from '#failure';
import { isStart, type Step } from './step.ts';

export class Simulation {
  catalog: Catalog;
  readonly rejections: string[] = [];

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /** Steps that start work change nothing yet; a refused step is left out. */
  take(steps: readonly Step[]): void {
    for (const { action, change } of steps) {
      if (isStart(action)) continue;
      try {
        this.catalog = applyChange(this.catalog, action).catalog;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        const what = change === undefined ? '' : `${change.summary}: `;
        this.rejections.push(`${what}${error.message}`);
      }
    }
  }
}
