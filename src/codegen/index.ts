/**
 * Typed clients, made from the accepted schema of a project.
 *
 * Nouns: a *target* is one client that the configuration wants (`target/`); the *client model* is the schema as the emitters of all languages are given it
 * (`model/`); an *emitter* makes the files of one language of both (`typescript/`, `go/`, `python/`). The *runtime* is the part of a client that does not depend on the
 * schema: a project of its language in `clients/`, whose texts `runtime-text.ts` of each language holds. The texts are *vendored*: files beside the generated ones.
 * Invariants: the same schema and target give the same bytes everywhere; nothing of this room touches the world.
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
