/** Tables that are declared at once: an id and a name are of one of them. */

import { expect, test } from 'bun:test';
import { type DeclaredTable, declareCatalog } from '#catalog';

const table = (id: number, name: string): DeclaredTable =>
  ({
    id,
    name,
    columns: [{ id: 1, name: 'id', type: 'int64' }],
    primary_key: ['id'],
  }) as unknown as DeclaredTable;

test('two tables of one id, or of one name, are refused', () => {
  expect(() => declareCatalog([table(1, 'a'), table(2, 'b'), table(1, 'c')])).toThrow(
    'two tables share ID 1',
  );
  expect(() => declareCatalog([table(1, 'a'), table(2, 'a')])).toThrow('table "a" already exists');
  const { tables } = declareCatalog([table(2, 'b'), table(1, 'a')]);
  expect(tables.map(({ id, name }) => `${id} ${name}`)).toEqual(['1 a', '2 b']);
});
