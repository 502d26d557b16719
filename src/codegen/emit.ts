/** Emits the files of a client. */

import type { GeneratedFile } from './files/generated-file.ts';
import { headerLines, runtimeHeader } from './files/header.ts';
import { emitGo } from './go/module/emit-go.ts';
import { checkTarget } from './model/check-target.ts';
import type { ClientModel } from './model/client-model.ts';
import { emitPython } from './python/module/emit-python.ts';
import type { Language, Target } from './target/target.ts';
import { emitTypescript } from './typescript/module/emit-typescript.ts';

type Emitter = (
  model: ClientModel,
  target: Target,
  header: readonly string[],
  runtimeHeader: readonly string[],
) => readonly GeneratedFile[];

const emitters: Readonly<Record<Language, Emitter>> = {
  typescript: emitTypescript,
  go: emitGo,
  python: emitPython,
};

/**
 * Returns the files of a client, with paths relative to the target's output. Throws TargetError if the target names something that the schema does not have.
 */
export function emit(model: ClientModel, target: Target): readonly GeneratedFile[] {
  checkTarget(model, target);
  return emitters[target.language](model, target, headerLines(model), runtimeHeader);
}
