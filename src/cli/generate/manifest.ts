/** `.svc-codegen-{language}.json` in the directory of a client: the list of its generated files, so that a file that is no longer needed is removed. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { Language } from '#codegen';
import { CommandFailure } from '../frame/command-failure.ts';
import { parsedAs } from '../project/json-file.ts';

/** A path in the directory of the manifest. No other file is removed, whatever the manifest contains. */
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

/** Returns the paths relative to the directory, or an empty list without a manifest. Throws a CommandFailure if the manifest is invalid. */
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
    message: `${join(shown, manifestName(language))} is not a list of generated files`,
    hint: 'nothing was changed; delete it: the next `svc generate` creates a new one and recognizes its files by their first line',
  });
}
