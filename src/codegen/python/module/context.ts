/** What the emitter of each part of the package is given. */

import type { ClientModel } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import type { TableNames } from './names.ts';

export interface Context {
  readonly model: ClientModel;
  readonly target: Target;
  readonly names: readonly TableNames[];
}
