/** `.svc-codegen-{language}.json` in the directory of a client: which files there are generated, so that one that is no more wanted goes. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { Language } from '#codegen';
import { CommandFailure } from '../frame/command-failure.ts';
import { parsedAs } from '../project/json-file.ts';

/** A file beside the manifest or below it: whatever a manifest says, nothing else is removed. */
const ownPath = /^(?!\.\.?(?:\/|$))[^/\\\0]+(?:\/(?!\.\.?(?:\/|$))[^/\\\0]+)*$/;

const manifestShape = Type.Object({
  format_version: Type.Literal(1),
  generator: Type.String(),
  files: Type.Array(Type.RegExp(ownPath)),
});

export function manifestName(language: Language): string {
  return `.svc-codegen-${language}.json`;
}

export function manifestText(paths: readonly string[]): string {
  const manifest: Static<typeof manifestShape> = {
    format_version: 1,
    generator: 'svc generate',
    files: [...paths].sort(),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** Paths relative to the directory; none without a manifest. Throws a CommandFailure for one that is broken. */
export function readManifest(
  directory: string,
  shown: string,
  language: Language,
): readonly string[] {
  const path = join(directory, manifestName(language));
  if (!existsSync(path)) return [];
  const manifest = parsedAs(manifestShape, readFileSync(path, 'utf8'));
  if (manifest !== undefined) return manifest.files;
  throw new CommandFailure({
    code: 'manifest_broken',
    message: `${join(shown, manifestName(language))} is no list of generated files`,
    hint: 'nothing was changed; delete it: the next `svc generate` makes a new one and knows its files by their first line',
  });
}
