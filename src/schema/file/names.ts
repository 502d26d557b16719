/** Checks of names in a schema file: their form, their number, and that none is repeated. */

import { catalogLimits, nameTrouble, tooMany } from '#catalog';
import type { Findings } from './findings.ts';
import { plainName } from './grammar.ts';
import type { Spot, Spotted } from './source.ts';

/** Checks the form of a name. `what` is its kind: `table`, `column`, `index`, `foreign key`, `format`. */
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
      'the `ref` shorthand requires that form, and generated clients might have to rename it',
    );
  }
}

/** Reports the first object beyond the limit of its kind. */
export function checkFew(
  spots: readonly Spot[],
  findings: Findings,
  what: string,
  of: Parameters<typeof tooMany>[2],
): void {
  const trouble = tooMany(what, spots.length, of);
  if (trouble !== undefined) findings.error(spots[catalogLimits[of]] as Spot, trouble);
}

/** Reports each repeated value, at its later position. */
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
