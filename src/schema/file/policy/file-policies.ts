/** The section `policies` of a schema file with names, and the position of each part. Unreadable parts are absent. */

import type { ClaimType, PolicyAction, PolicyConditionOf } from '#catalog';
import type { Spot, Spotted } from '../source.ts';

export interface FilePolicies {
  readonly claims: readonly FileClaim[];
  readonly tables: readonly FilePolicy[];
}

interface FileClaim {
  readonly name: Spotted<string>;
  /** `undefined` if it is not readable. */
  readonly type: ClaimType | undefined;
}

/** The entry of one table. */
export interface FilePolicy {
  readonly table: Spotted<string>;
  readonly rules: readonly FileRule[];
}

export interface FileRule {
  readonly action: PolicyAction;
  readonly spot: Spot;
  /** `undefined` if it is not readable. */
  readonly rule: 'all' | 'same_as_read' | PolicyConditionOf<string> | undefined;
  readonly spots: PartSpots;
}

/** The positions of the parts of a condition by JSON pointer. The pointer of a bare expression begins with `/where`. */
type PartSpots = Readonly<Record<string, Spot>>;

/** Returns the position of a part, or of the nearest part around it. */
export function spotOfPart(
  { spot, spots }: Pick<FileRule, 'spot' | 'spots'>,
  pointer: string,
): Spot {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = spots[at];
    if (found !== undefined) return found;
  }
  return spot;
}
