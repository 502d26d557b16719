/** All operations of the interface, in the order of the documentation. */

import type { Operation } from './operation.ts';
import { catalogOperations } from './operations/catalog.ts';
import { executeOperations } from './operations/execute.ts';
import { keyOperations } from './operations/keys.ts';
import { metaOperations } from './operations/meta.ts';
import { schemaOperations } from './operations/schema.ts';
import { transitionOperations } from './operations/transitions.ts';

export const operations: readonly Operation[] = [
  ...metaOperations,
  ...catalogOperations,
  ...executeOperations,
  ...schemaOperations,
  ...transitionOperations,
  ...keyOperations,
];
