/** Files of clients, of texts. */

import { LineCounter, parseDocument } from 'yaml';
import { emit, type GeneratedFile, modelOf, readTargets, type Target } from '#codegen';
import { parseSchema } from '#schema';

export function targetsOf(text: string): readonly Target[] {
  const lines = new LineCounter();
  return readTargets(parseDocument(text, { lineCounter: lines }).contents, lines);
}

export function modelOfText(schema: string) {
  const parsed = parseSchema(Buffer.from(schema), 'svc.schema.yaml');
  if (parsed.kind === 'broken') throw new Error(parsed.errors.map(({ message }) => message).join());
  return modelOf(parsed.catalog, 7);
}

export function filesOf(schema: string, target: string): readonly GeneratedFile[] {
  return emit(modelOfText(schema), targetsOf(target)[0] as Target);
}

export function textOf(files: readonly GeneratedFile[], path: string): string {
  const file = files.find((it) => it.path === path);
  if (file === undefined) throw new Error(`there is no ${path}`);
  return file.text;
}
