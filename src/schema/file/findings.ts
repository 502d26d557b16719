/** A remedy, or a function that computes it. The function is called only for findings that are recorded. */
type Hint = string | undefined | (() => string | undefined);

/** Collects the findings of one schema file. If their number reaches the limit, further errors replace warnings. */

import type { Diagnostic } from './diagnostic.ts';
import type { SchemaSource, Spot } from './source.ts';

/** Maximum number of findings of a file. */
const findingsMax = 100;
/** Maximum length of a message in UTF-16 units. */
const messageMax = 1_000;

export class Findings {
  readonly source: SchemaSource;
  private readonly found: Diagnostic[];

  /** `found` contains earlier findings. */
  constructor(source: SchemaSource, found: readonly Diagnostic[] = []) {
    this.source = source;
    this.found = [...found];
  }

  error(spot: Spot, message: string, hint?: Hint): void {
    this.add('error', spot, message, hint);
  }

  warning(spot: Spot, message: string, hint?: Hint): void {
    this.add('warning', spot, message, hint);
  }

  /** Adds an error in the structure of the file, with the documented prefix. */
  shape(spot: Spot, message: string, hint?: Hint): void {
    this.error(spot, `schema validation failed: ${message}`, hint);
  }

  get hasErrors(): boolean {
    return this.found.some(({ severity }) => severity === 'error');
  }

  get all(): readonly Diagnostic[] {
    return this.found;
  }

  /** Returns the findings of a severity in the order of the file. */
  of(severity: Diagnostic['severity']): readonly Diagnostic[] {
    return this.found
      .filter((diagnostic) => diagnostic.severity === severity)
      .sort((left, right) => left.spot.from - right.spot.from);
  }

  private add(severity: Diagnostic['severity'], spot: Spot, message: string, hint: Hint): void {
    if (this.found.length >= findingsMax) {
      if (severity === 'warning') return;
      const warning = this.found.findIndex((other) => other.severity === 'warning');
      if (warning < 0) return;
      this.found.splice(warning, 1);
    }
    const position = this.source.positionOf(spot.from);
    const given = typeof hint === 'function' ? hint() : hint;
    this.found.push({
      severity,
      message: visible(shortened(message)),
      ...(given !== undefined && { hint: visible(shortened(given)) }),
      ...position,
      spot,
    });
  }
}

/** Returns a text without its middle if it is too long: a quoted name can be as long as the file. */
function shortened(text: string): string {
  if (text.length <= messageMax) return text;
  const half = messageMax / 2;
  return `${text.slice(0, half).toWellFormed()} … ${text.slice(-half).toWellFormed()}`;
}

/** Escapes control characters, since a message contains names from the file and a terminal would interpret them. */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not get them
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
