/** The input of the emitters of all parts of the package. */

import type { ClientModel } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import type { TableNames } from './names.ts';

export interface Context {
  readonly model: ClientModel;
  readonly target: Target;
  readonly names: readonly TableNames[];
}
