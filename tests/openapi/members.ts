/** Which members of the OpenAPI document's shapes answers have had, out of all that they can have. */

import { openApiDocument } from '#wire';
import { complaint } from './complaint.ts';

interface Shape {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
      }
    >
  >;
}

const document = openApiDocument() as unknown as Document;

/** Calls `mark` with each member of `value`, a pointer into the document; `pointer` is that of its shape. */
export function markMembers(pointer: string, value: unknown, mark: (member: string) => void): void {
  const shape = shapeAt(pointer);
  if (shape.$ref !== undefined) {
    markMembers(shape.$ref, value, mark);
    return;
  }
  for (const branch of branchesOf(pointer, shape)) {
    if (complaint(branch, value) === undefined) markMembers(branch, value, mark);
  }
  if (Array.isArray(value)) {
    if (shape.items) for (const item of value) markMembers(`${pointer}/items`, item, mark);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (shape.properties?.[name] !== undefined) {
      const member = `${pointer}/properties/${name}`;
      mark(member);
      markMembers(member, inner, mark);
    } else if (typeof shape.additionalProperties === 'object') {
      markMembers(`${pointer}/additionalProperties`, inner, mark);
    }
  }
}

/** Members of the shapes of all answers in JSON. */
export function allMembers(): ReadonlySet<string> {
  const all = new Set<string>();
  const visited = new Set<string>();
  for (const path of Object.values(document.paths)) {
    for (const { responses } of Object.values(path)) {
      for (const { content = {} } of Object.values(responses)) {
        for (const [type, { schema }] of Object.entries(content)) {
          if (type.includes('json')) collect(schema.$ref, all, visited);
        }
      }
    }
  }
  return all;
}

function collect(pointer: string, all: Set<string>, visited: Set<string>): void {
  if (visited.has(pointer)) return;
  visited.add(pointer);
  const shape = shapeAt(pointer);
  if (shape.$ref !== undefined) {
    collect(shape.$ref, all, visited);
    return;
  }
  for (const branch of branchesOf(pointer, shape)) collect(branch, all, visited);
  if (shape.items) collect(`${pointer}/items`, all, visited);
  if (typeof shape.additionalProperties === 'object') {
    collect(`${pointer}/additionalProperties`, all, visited);
  }
  for (const name of Object.keys(shape.properties ?? {})) {
    all.add(`${pointer}/properties/${name}`);
    collect(`${pointer}/properties/${name}`, all, visited);
  }
}

function branchesOf(pointer: string, { anyOf, oneOf, allOf }: Shape): readonly string[] {
  const named = { anyOf, oneOf, allOf };
  return Object.entries(named).flatMap(([name, branches = []]) =>
    branches.map((_, i) => `${pointer}/${name}/${i}`),
  );
}

function shapeAt(pointer: string): Shape {
  const way = pointer.replace(/^#\//, '').split('/');
  return way.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>>)[name.replaceAll('~1', '/')],
    document,
  ) as Shape;
}
