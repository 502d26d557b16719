/** What applications see of the runtime, beside what is generated for them. */

export { BuildError } from './client/build-error.ts';
export type { DeepReadonly } from './client/cache.ts';
export { createClient } from './client/client.ts';
export * from './client/client-api.ts';
export * from './client/errors.ts';
export type { Answer, Fetch, Middleware, Next, Operation } from './client/exchange.ts';
export type { TokenSource } from './client/headers.ts';
export * from './client/options.ts';
export type { RetryOptions } from './client/retry.ts';
export type {
  Compiled,
  Generated,
  KnownTable,
  Page,
  PageOptions,
  Param,
  ParamExprs,
  Params,
  ParamValues,
  Runnable,
} from './client/seam.ts';
export type { ProgramAnswer } from './client/server.ts';
export type { WatchOptions } from './client/watch.ts';
export type { World } from './client/world.ts';
export { compile, prepare } from './query/compile.ts';
export * from './query/functions.ts';
export { generatedOf } from './query/generated.ts';
export type { Id } from './query/id.ts';
export { CursorError, pageOf } from './query/page.ts';
export { tablesOf } from './query/tables.ts';
export type * from './query/types.ts';
export type { Code, ColumnInfo, RelationInfo, TableInfo } from './table-info.ts';
export { PrecisionError } from './wire/codec.ts';
