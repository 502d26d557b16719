/**
 * Typed clients, generated from the accepted schema of a project.
 *
 * Terms: a *target* is the configuration of one client (`target/`). The *client model* is the schema in the form that the emitters of all
 * languages receive (`model/`). An *emitter* generates the files of one language from both (`typescript/`, `go/`, `python/`). The *runtime* is
 * the part of a client that does not depend on the schema. The runtime is a project of its language in `clients/`, and `runtime-text.ts` of each
 * language contains its text. The runtime is *vendored*: generated as files next to those of the schema.
 *
 * Invariants: the same schema and target give the same bytes everywhere. Nothing in this module has side effects.
 */

export { emit } from './emit.ts';
export type { GeneratedFile } from './files/generated-file.ts';
export { generatedMark } from './files/header.ts';
export { modelOf } from './model/build-model.ts';
export type { ClientModel } from './model/client-model.ts';
export { isPackageName, readTargets } from './target/read-targets.ts';
export {
  defaultTarget,
  type Language,
  languages,
  type Target,
  TargetError,
} from './target/target.ts';
