/** The runtime and its companion for tests, as applications see them. */

export * from '../../../src/codegen/typescript/runtime/index.ts';
export * from '../../../src/codegen/typescript/runtime/testing.ts';
