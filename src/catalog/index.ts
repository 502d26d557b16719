export type * from './definition.ts';
export { foreignKeyActions, generatorFunctions } from './definition.ts';
export type { CatalogEffect } from './effect.ts';
export type {
  Bound,
  EncodeInterval,
  IndexLayout,
  RowReader,
  TableLayout,
} from './layout/layout.ts';
export type { Catalog, Column, Default, ForeignKey, Index, Table } from './table.ts';
