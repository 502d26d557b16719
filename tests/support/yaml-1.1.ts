/** Readers of YAML 1.1: the one of the package `yaml`, and PyYAML where there is Python with it. */

import { parseAllDocuments } from 'yaml';

/** The one document of a text. */
export function readBy11(text: string): unknown {
  const [document, ...others] = readAllBy11(text);
  if (others.length > 0) throw new Error('there is more than one document');
  return document;
}

/** All documents, as both readers have them; throws if they disagree. */
export function readAllBy11(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { version: '1.1' });
  const read = (documents as readonly { toJS(): unknown }[]).map((document) => document.toJS());
  const other = loadAll?.(text);
  if (other === undefined || Bun.deepEquals(read, other)) return read;
  throw new Error(`PyYAML reads ${JSON.stringify(other)}, yaml ${JSON.stringify(read)}`);
}

const script =
  'import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout, default=repr)';

function load(text: string): readonly unknown[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['python3', '-c', script], {
    stdin: new TextEncoder().encode(text),
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (exitCode !== 0) throw new Error(`PyYAML: ${stderr.toString()}`);
  return JSON.parse(stdout.toString()) as readonly unknown[];
}

const loadAll = Bun.which('python3') !== null && isInstalled() ? load : undefined;

/** The one document of a text; undefined where PyYAML is not installed. */
export const pyyaml = loadAll && ((text: string) => loadAll(text)[0]);

function isInstalled(): boolean {
  return Bun.spawnSync(['python3', '-c', 'import yaml']).exitCode === 0;
}

if (loadAll === undefined) {
  console.warn('no Python with PyYAML here: the tests that read YAML 1.1 with it are skipped');
}
