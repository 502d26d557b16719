/** The YAML files that others read: each has one meaning, in YAML 1.1 and in YAML 1.2. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { parseAllDocuments } from 'yaml';
import { readAllBy11 } from '../support/yaml-1.1.ts';

const root = join(import.meta.dir, '..', '..');
const files = ['deploy/**/*.yaml', 'examples/**/*.yaml'].flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: root })].filter((path) => !path.includes('node_modules')),
);

test('there are files of each kind', () => {
  expect(files.map((path) => path.split('/').at(-1))).toEqual(
    expect.arrayContaining(['database-crd.yaml', 'operator.yaml', 'svc-alerts.yaml']),
  );
});

test.each(files)('%s', (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const documents = parseAllDocuments(text) as readonly { toJS(): unknown }[];
  expect(readAllBy11(text)).toEqual(documents.map((document) => document.toJS()));
});
