/** The errors of a seed file, collected and reported together with their positions. */

import { type Diagnostic, diagnosticExcerpt, type SchemaSource } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';

export interface SeedPlace {
  /** Range [from, to) in UTF-16 code units of the text. */
  readonly from: number;
  readonly to: number;
}

/** Maximum number of reported errors. Further ones often have the same cause. */
const shownMax = 20;

/** Collects errors. */
export class SeedFindings {
  private readonly source: SchemaSource;
  private readonly found: Diagnostic[] = [];

  constructor(source: SchemaSource) {
    this.source = source;
  }

  add(place: SeedPlace, message: string): void {
    const { line, column } = this.source.positionOf(place.from);
    this.found.push({ severity: 'error', message, line, column, spot: place });
  }

  /** Throws a CommandFailure if errors were found. */
  refuse(): void {
    const count = this.found.length;
    if (count === 0) return;
    const shown = this.found.slice(0, shownMax).map((it) => diagnosticExcerpt(this.source, it));
    const rest = count > shownMax ? [`and ${count - shownMax} more`] : [];
    throw new CommandFailure({
      code: 'seed_invalid',
      message: [
        `${this.source.name} has ${count === 1 ? 'one error' : `${count} errors`}`,
        ...shown,
        ...rest,
      ].join('\n\n'),
      hint: 'no row was written',
      details: {
        errors: this.found
          .slice(0, shownMax)
          .map(({ message, line, column }) => ({ message, line, column })),
      },
    });
  }
}
