export type * from './plan/expression.ts';
export type * from './plan/program.ts';
export type * from './plan/relation.ts';
