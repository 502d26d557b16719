/** The runtime as applications see it. */

export * from '../../../src/codegen/typescript/runtime/index.ts';
