/** Compares and writes the files of one client. */

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
  /** Absolute path. */
  readonly path: string;
  /** The path in the form for messages. */
  readonly shown: string;
}

/** `stale`: generated earlier and no longer needed. */
type FileState = 'equal' | 'missing' | 'changed' | 'stale';

export interface ClientFile {
  readonly path: string;
  /** The path in the form for messages. */
  readonly shown: string;
  /** The generated text, or `undefined` if the file is to be removed. */
  readonly text: string | undefined;
  readonly state: FileState;
}

/**
 * Compares generated files with existing ones. The manifest is included and comes last. Throws a CommandFailure if a file that was not generated has the name
 * of a generated one.
 */
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

/**
 * Writes and removes files. Each file has either its former or its new content at any moment, and the manifest comes last, so that an interrupted run can be
 * repeated.
 */
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
    message: `${at.shown} was not generated, but a generated file needs its name`,
    hint: 'nothing was changed; move the file, or change `output` to another directory',
  });
}

/** Returns whether the first lines of a file identify it as generated, so that it may be removed. */
function isGenerated(text: string | undefined): boolean {
  return text?.slice(0, 200).includes(generatedMark) ?? false;
}

/** Returns the text of a file, or `undefined` if it does not exist. */
function textAt({ path, shown }: FilePlace): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure({
      code: 'file_unreadable',
      message: `${shown} cannot be read: ${systemReason(error)}`,
      hint: 'nothing was changed; a generated file needs this name',
    });
  }
}
