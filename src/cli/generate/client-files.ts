/** The files of one client, as they are wanted and as they are. */

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedFile, Language } from '#codegen';
import { generatedMark } from '#codegen';
import { CommandFailure } from '../frame/command-failure.ts';
import { systemReason } from '../frame/system-reason.ts';
import { writeWhole } from '../project/write-file.ts';
import { manifestName, manifestText, readManifest } from './manifest.ts';

interface ClientDirectory {
  readonly language: Language;
  /** Absolute. */
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
}

/** `stale`: generated once, and wanted no more. */
type FileState = 'equal' | 'missing' | 'changed' | 'stale';

export interface ClientFile {
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
  /** What it is to be; undefined where it is to go. */
  readonly text: string | undefined;
  readonly state: FileState;
}

/** Of the manifest as well, which comes last. Throws a CommandFailure where a file that was not generated has the name of a wanted one. */
export function compareFiles(
  directory: ClientDirectory,
  wanted: readonly GeneratedFile[],
): readonly ClientFile[] {
  const { language, path, shown } = directory;
  const former = readManifest(path, shown, language);
  const place = (name: string) => ({ path: join(path, name), shown: join(shown, name) });
  const compared = wanted.map((file): ClientFile => {
    const at = place(file.path);
    const isOwn = former.includes(file.path);
    return { ...at, text: file.text, state: stateOf(at, file.text, isOwn) };
  });
  const stale = former
    .filter((name) => !wanted.some((file) => file.path === name))
    .map(place)
    .filter((at) => isGenerated(textAt(at)))
    .map((at): ClientFile => ({ ...at, text: undefined, state: 'stale' }));
  const list = place(manifestName(language));
  const text = manifestText(wanted.map((file) => file.path));
  return [...compared, ...stale, { ...list, text, state: stateOf(list, text, true) }];
}

/** Each file is the former one or the new one at any moment, and the manifest comes last: what is interrupted is done again. */
export function applyFiles(files: readonly ClientFile[]): void {
  for (const { path, text, state } of files) {
    if (state === 'equal') continue;
    if (text === undefined) rmSync(path);
    else writeWhole(path, text);
  }
}

interface FilePlace {
  readonly path: string;
  readonly shown: string;
}

function stateOf(at: FilePlace, wanted: string, isOwn: boolean): FileState {
  const text = textAt(at);
  if (text === undefined) return 'missing';
  if (text === wanted) return 'equal';
  if (isOwn || isGenerated(text)) return 'changed';
  throw new CommandFailure({
    code: 'file_foreign',
    message: `${at.shown} was not generated, and a generated file has its name`,
    hint: 'nothing was changed: move the file, or let `output` name another directory',
  });
}

/** Whether somebody may remove it: the first lines say so. */
function isGenerated(text: string | undefined): boolean {
  return text?.slice(0, 200).includes(generatedMark) ?? false;
}

/** Undefined where there is none. */
function textAt({ path, shown }: FilePlace): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    if (!statSync(path).isFile()) throw new Error('it is no file');
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure({
      code: 'file_unreadable',
      message: `${shown} cannot be read: ${systemReason(error)}`,
      hint: 'nothing was changed: a generated file has this name',
    });
  }
}
