/** What to do, or how to find that out: it is asked only for findings that are kept. */
type Hint = string | undefined | (() => string | undefined);

/** Collects what is found in one schema file; errors push out warnings when there is too much. */

import type { Diagnostic } from './diagnostic.ts';
import type { Source, Spot } from './source.ts';

/** A file that is wrong all over is not worth a longer list. */
const findingsMax = 100;
/** UTF-16 units of a message. */
const messageMax = 1_000;

export class Findings {
  readonly source: Source;
  private readonly found: Diagnostic[];

  /** `found`: what has been found before. */
  constructor(source: Source, found: readonly Diagnostic[] = []) {
    this.source = source;
    this.found = [...found];
  }

  error(spot: Spot, message: string, hint?: Hint): void {
    this.add('error', spot, message, hint);
  }

  warning(spot: Spot, message: string, hint?: Hint): void {
    this.add('warning', spot, message, hint);
  }

  /** Something that is not of the file's shape: the documented prefix comes before it. */
  shape(spot: Spot, message: string, hint?: Hint): void {
    this.error(spot, `schema validation failed: ${message}`, hint);
  }

  get hasErrors(): boolean {
    return this.found.some(({ severity }) => severity === 'error');
  }

  get all(): readonly Diagnostic[] {
    return this.found;
  }

  /** In the order of the file. */
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

/** What is quoted in a message may be as long as the file. */
function shortened(text: string): string {
  if (text.length <= messageMax) return text;
  const half = messageMax / 2;
  return `${text.slice(0, half).toWellFormed()} … ${text.slice(-half).toWellFormed()}`;
}

/** Names come out of the file: what could steer a terminal is written as an escape. */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not get them
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
