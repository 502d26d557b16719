export type * from './program.ts';
