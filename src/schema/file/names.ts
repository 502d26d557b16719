/** Names in a schema file: what one may be, and that none stands twice. */

import { catalogLimits, nameTrouble, tooMany } from '#catalog';
import type { Findings } from './findings.ts';
import { plainName } from './grammar.ts';
import type { Spot, Spotted } from './source.ts';

/** `what` is the kind of name: `table`, `column`, `index`, `foreign key`, `format`. */
export function checkName(
  name: Spotted<string> | undefined,
  what: string,
  findings: Findings,
): void {
  if (name === undefined) return;
  const trouble = nameTrouble(name.value);
  if (trouble !== undefined) {
    findings.error(name.spot, `invalid ${what} identifier: ${trouble}`);
  } else if (!plainName.test(name.value) && (what === 'table' || what === 'column')) {
    const shown = JSON.stringify(name.value);
    findings.warning(
      name.spot,
      `${what} name ${shown} is not of the form a-z, 0-9 and _`,
      'the `ref` shorthand needs that form, and generated clients may have to call it otherwise',
    );
  }
}

/** Reports the first that is one too many. */
export function checkFew(
  spots: readonly Spot[],
  findings: Findings,
  what: string,
  of: Parameters<typeof tooMany>[2],
): void {
  const trouble = tooMany(what, spots.length, of);
  if (trouble !== undefined) findings.error(spots[catalogLimits[of]] as Spot, trouble);
}

/** Reports each value that was there before, at its later place. */
export function checkDistinct<Value>(
  values: readonly (Spotted<Value> | undefined)[],
  findings: Findings,
  message: (value: Value, earlier: number, later: number) => string,
): void {
  const seen = new Map<Value, { readonly index: number; readonly from: number }>();
  values.forEach((spotted, index) => {
    if (spotted === undefined) return;
    const earlier = seen.get(spotted.value);
    if (earlier === undefined) {
      seen.set(spotted.value, { index, from: spotted.spot.from });
      return;
    }
    const text = message(spotted.value, earlier.index, index);
    const { line } = findings.source.positionOf(earlier.from);
    findings.error(spotted.spot, text, `the first one is in line ${line}`);
  });
}
