/**
 * Builds the custom resource definition that the API server requires: `svc operator --print-crd`,
 * deploy/kubernetes/database-crd.yaml.
 */

import type { TSchema } from '@sinclair/typebox';
import { yamlText } from '#schema';
import { databaseSchema, group, kind, nameLengthMax, plural, version } from './resource.ts';

const column = (name: string, jsonPath: string, type = 'string') => ({ name, type, jsonPath });
const ofCondition = (type: string) => `.status.conditions[?(@.type=="${type}")].status`;

export function resourceDefinition(): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: 'database', shortNames: ['svcdb'] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('Ready', ofCondition('Ready')),
            column('Readers', '.status.readyReaders', 'integer'),
            column('Bucket', '.spec.storage.bucket'),
            column('Prefix', '.spec.storage.prefix'),
            column('Age', '.metadata.creationTimestamp', 'date'),
          ],
          schema: { openAPIV3Schema: whole() },
        },
      ],
    },
  };
}

/** Returns the definition as YAML. */
export function definitionText(): string {
  return yamlText(resourceDefinition());
}

function whole(): object {
  return {
    type: 'object',
    description: 'A database in an S3 bucket, with one writer and optional readers.',
    required: ['spec'],
    properties: { spec: plain(databaseSchema.spec), status: plain(databaseSchema.status) },
    'x-kubernetes-validations': [
      {
        rule: `size(self.metadata.name) <= ${nameLengthMax}`,
        message: `the name exceeds ${nameLengthMax} characters; the names of the services are derived from it`,
      },
    ],
  };
}

interface Plain {
  required?: string[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
  readonly default?: unknown;
}

/** Removes the symbols that the library adds to schemas. */
function plain(schema: TSchema): Plain {
  return demanding(JSON.parse(JSON.stringify(schema)) as Plain);
}

/** Removes members with a default from `required`. The default `{}` of an object would otherwise lack required members. */
function demanding(schema: Plain): Plain {
  const { properties = {}, items } = schema;
  for (const inner of [...Object.values(properties), ...(items === undefined ? [] : [items])]) {
    demanding(inner);
  }
  const demanded = schema.required?.filter((name) => properties[name]?.default === undefined) ?? [];
  if (demanded.length > 0) schema.required = demanded;
  else delete schema.required;
  return schema;
}
