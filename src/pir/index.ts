export type * from './program.ts';
export { foreignKeyActions, generatorFunctions } from './program.ts';
