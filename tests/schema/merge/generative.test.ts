/** Merging and editing, on generated schemas: what one side left alone comes from the other, and a file is edited to exactly the merged schema. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalog, canonicalSchema, declareCatalog } from '#catalog';
import { DatabaseError } from '#failure';
import { editSchema, mergeSchemas, parseSchema, renderSchema } from '#schema';
import { plainNaming, schemaOf } from '../arbitrary.ts';
import { edited, editsOf } from '../diff/edits.ts';

type Tables = Parameters<typeof declareCatalog>[0];

function declared(tables: Tables): Catalog | undefined {
  try {
    return declareCatalog(tables);
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

const none = { tables: new Map(), columns: new Map() };
const policies = { before: 'absent', after: 'absent' } as const;
const schema = schemaOf(plainNaming);

test('a side that changed nothing gets what the other has', () => {
  fc.assert(
    fc.property(schema, editsOf(6), (tables, edits) => {
      const base = declared(tables);
      const other = base && declared(edited(tables, edits));
      if (base === undefined || other === undefined) return;
      for (const [ours, theirs] of [
        [base, other],
        [other, base],
      ] as const) {
        const { catalog, conflicts } = mergeSchemas(base, ours, theirs);
        expect(conflicts).toEqual([]);
        expect(canonicalSchema(catalog)).toBe(canonicalSchema(other));
      }
    }),
    { numRuns: 300 },
  );
});

test('two sides that agree conflict nowhere', () => {
  fc.assert(
    fc.property(schema, editsOf(6), (tables, edits) => {
      const base = declared(tables);
      const both = base && declared(edited(tables, edits));
      if (base === undefined || both === undefined) return;
      const { catalog, conflicts } = mergeSchemas(base, both, both);
      expect(conflicts).toEqual([]);
      expect(canonicalSchema(catalog)).toBe(canonicalSchema(both));
    }),
    { numRuns: 200 },
  );
});

test('a merge of two sides is a schema, whatever they changed', () => {
  fc.assert(
    fc.property(schema, editsOf(4), editsOf(4), (tables, left, right) => {
      const base = declared(tables);
      const ours = base && declared(edited(tables, left));
      const theirs = base && declared(edited(tables, right));
      if (base === undefined || ours === undefined || theirs === undefined) return;
      const { catalog, renumbering } = mergeSchemas(base, ours, theirs);
      expect(parseSchema(renderSchema(catalog), 'merged').kind).toBe('schema');
      const text = editSchema(renderSchema(ours), {
        before: ours,
        after: catalog,
        renumbering,
        policies,
      });
      const parsed = parseSchema(text.text, 'edited');
      expect(parsed.kind === 'schema' && canonicalSchema(parsed.catalog)).toBe(
        canonicalSchema(catalog),
      );
    }),
    { numRuns: 300 },
  );
});

test('a file is edited in place to any schema that grew from it', () => {
  let inPlace = 0;
  let all = 0;
  fc.assert(
    fc.property(schema, editsOf(6), (tables, edits) => {
      const before = declared(tables);
      const after = before && declared(edited(tables, edits));
      if (before === undefined || after === undefined || before.tables.length === 0) return;
      const result = editSchema(renderSchema(before), {
        before,
        after,
        renumbering: none,
        policies,
      });
      const parsed = parseSchema(result.text, 'edited');
      expect(parsed.kind === 'schema' && canonicalSchema(parsed.catalog)).toBe(
        canonicalSchema(after),
      );
      all++;
      if (result.isInPlace) inPlace++;
    }),
    { numRuns: 300, seed: 7 },
  );
  expect(inPlace / all).toBeGreaterThan(0.97);
});
