/** The schemas before and after the edit of a file. */

import type { Catalog } from '#catalog';
import type { Renumbering } from '../merge/renumber.ts';
import type { DesiredPolicies } from '../policy/desired-policies.ts';

export interface Edit {
  /** The schema that the file describes now. */
  readonly before: Catalog;
  readonly after: Catalog;
  /** The objects of `before` that have other ids in `after`. */
  readonly renumbering: Renumbering;
  /** The policies, by the ids of the schema of the same time. */
  readonly policies: { readonly before: DesiredPolicies; readonly after: DesiredPolicies };
}
