/** Whether an answer is one that the OpenAPI document tells of: its status, its headers, its type and its body. */

import Ajv2020 from 'ajv/dist/2020.js';
import { openApiDocument } from '#wire';

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}
type Item = Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>;

const document = openApiDocument() as {
  readonly paths: Readonly<Record<string, Item>>;
  readonly components: object;
};
const base = 'urn:svc:openapi';
const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const format of ['int64', 'identifier', 'date-time']) ajv.addFormat(format, true);
ajv.addSchema({ $id: base, components: document.components });

/** What is wrong with `value` as one of `definition`; undefined when nothing is. */
export function complaint(definition: string, value: unknown): string | undefined {
  const reference = `${base}${definition}`;
  const check = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
  return check(value) ? undefined : ajv.errorsText(check.errors);
}

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
  return complaint(schema.$ref, type.includes('json') ? JSON.parse(text) : text);
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
