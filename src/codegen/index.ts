/**
 * Typed clients, made from the accepted schema of a project.
 *
 * Nouns: a *target* is one client that the configuration wants (`target/`); the *client model* is the schema as the emitters of all languages are given it
 * (`model/`); an *emitter* makes the files of one language of both (`typescript/`, `go/`, `python/`). The *runtime* is the part of a client that does not depend on the
 * schema; it is *vendored*: its files lie beside the generated ones (`typescript/runtime`, `go/runtime`).
 * Invariants: the same schema and target give the same bytes everywhere; nothing of this room runs in the server or touches the world, but for a runtime in
 * its application (`typescript/runtime/client/world.ts`).
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
export { vendoredSources } from './typescript/vendored/vendored-sources.ts';
