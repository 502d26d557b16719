/** `svc schema json-schema`: the grammar of the schema file, for editors. */

import { Command } from '@commander-js/extra-typings';
import { schemaFileJsonSchema } from '#schema';
import { printText } from '../frame/output.ts';

export function jsonSchemaCommand() {
  return new Command('json-schema')
    .description('Print the JSON Schema of the schema file.')
    .action(() => printText(schemaFileJsonSchema()));
}
