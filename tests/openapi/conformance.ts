/** Whether an answer is one that the OpenAPI document tells of: its status, its headers, its type and its body. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '#wire';
import { complaint } from './complaint.ts';
import { markMembers } from './members.ts';

export { complaint } from './complaint.ts';

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}
type Item = Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>;

const document = openApiDocument() as {
  readonly paths: Readonly<Record<string, Item>>;
};
interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Whatever a test asks: throws unless the answer is one that the document tells of. Routes and methods that there are not are passed over. */
export function expectConformance(method: string, path: string, given: Given): void {
  const wrong = conformance(method, path, given);
  if (wrong === undefined) return;
  throw new Error(`${method} ${path}: ${wrong}: ${given.text.slice(0, 500)}`);
}

/** What is wrong with the answer; undefined where nothing is. */
function conformance(method: string, path: string, given: Given): string | undefined {
  const operation = operationOf(method, path.split('?')[0] as string);
  if (operation === undefined) return undefined;
  const { status, headers, text } = given;
  const response = operation.responses[status];
  if (response === undefined) return `${status} is not in the document`;
  const missing = Object.keys(response.headers ?? {}).filter((name) => !headers.has(name));
  if (missing.length > 0) return `the answer ${status} lacks ${missing.join(', ')}`;
  if (response.content === undefined || method === 'HEAD') {
    return text === '' ? undefined : `the answer ${status} has a body`;
  }
  const [type, { schema }] = Object.entries(response.content)[0] as [
    string,
    { readonly schema: { readonly $ref: string } },
  ];
  if (headers.get('content-type') !== type) return `${headers.get('content-type')} for ${type}`;
  const value: unknown = type.includes('json') ? JSON.parse(text) : text;
  const wrong = complaint(schema.$ref, value);
  if (wrong === undefined && type.includes('json')) remember(schema.$ref, value);
  return wrong;
}

function operationOf(method: string, path: string) {
  const segments = path.split('/');
  const item = Object.entries(document.paths).find(([template]) => {
    const parts = template.split('/');
    if (parts.length !== segments.length) return false;
    return parts.every((part, i) =>
      part.startsWith('{') ? segments[i] !== '' : part === segments[i],
    );
  })?.[1];
  const name = method === 'HEAD' ? 'get' : method === 'QUERY' ? 'x-query' : method.toLowerCase();
  return item?.[name];
}

/** Where the members that answers had are noted, a file for each process; `tests/openapi/unseen.ts` reads them. */
const directory = process.env['ANSWERED_MEMBERS'];
const noted = new Set<string>();
/** Longer ones have more of the same. */
const textMax = 100_000;

function remember(shape: string, value: unknown): void {
  if (directory === undefined || shape.endsWith('/OpenApiDocument')) return;
  if (JSON.stringify(value).length > textMax) return;
  markMembers(shape, value, (member) => {
    if (noted.has(member)) return;
    noted.add(member);
    appendFileSync(join(directory, `${process.pid}.txt`), `${member}\n`);
  });
}
