/** Tables as JSON text. */

import { type Catalog, type Table, toSchemaDocument, toTableInfo } from '#catalog';

export function encodeTable(catalog: Catalog, table: Table): string {
  return JSON.stringify(toTableInfo(catalog, table));
}

/** In order of id. */
export function encodeTables(catalog: Catalog): string {
  return JSON.stringify(toSchemaDocument(catalog));
}
