/** What is wrong with a value, by the OpenAPI document. */

import Ajv2020 from 'ajv/dist/2020.js';
import { openApiDocument } from '#wire';

const { components } = openApiDocument() as { readonly components: object };
const base = 'urn:svc:openapi';
const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const format of ['int64', 'identifier', 'date-time']) ajv.addFormat(format, true);
ajv.addSchema({ $id: base, components });

/** What is wrong with `value` as one of `definition`; undefined when nothing is. */
export function complaint(definition: string, value: unknown): string | undefined {
  const reference = `${base}${definition}`;
  const check = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
  return check(value) ? undefined : ajv.errorsText(check.errors);
}
