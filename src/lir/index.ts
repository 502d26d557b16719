export type * from './query.ts';
