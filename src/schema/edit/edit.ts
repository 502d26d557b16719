/** From which schema to which a file is changed. */

import type { Catalog } from '#catalog';
import type { Renumbering } from '../merge/renumber.ts';

export interface Edit {
  /** What the file describes now. */
  readonly before: Catalog;
  readonly after: Catalog;
  /** What of `before` has other ids in `after`. */
  readonly renumbering: Renumbering;
}
