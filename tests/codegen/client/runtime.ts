/** The runtime and its companion for tests, as applications see them. */

export * from '../../../clients/typescript/runtime/index.ts';
export * from '../../../clients/typescript/runtime/testing.ts';
