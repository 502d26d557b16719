/** `svc.state/`: the records of a project. Accepted schemas belong in version control; backups and pending migrations do not. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createWhole } from './write-file.ts';

const ignored = '# Only of this machine.\nbackups/\npending/\n';

/** Converts a database id to a part of a path. */
export function fileNameOf(databaseId: string): string {
  return databaseId.replace(/[^0-9a-zA-Z-]/g, '_');
}

export class StateDirectory {
  private readonly root: string;
  private readonly directory: string;

  /** `root` is the directory of the project. */
  constructor(root: string) {
    this.root = root;
    this.directory = join(root, 'svc.state');
  }

  /** Returns an absolute path. Here and in the methods below, `path` is relative to the state directory. */
  path(path: string): string {
    return join(this.directory, path);
  }

  /** Returns the sorted names in a directory, or an empty list if it does not exist. */
  names(directory: string): readonly string[] {
    const path = this.path(directory);
    return existsSync(path) ? readdirSync(path).sort() : [];
  }

  /** Returns the text of a file, or `undefined` if it does not exist. */
  text(path: string): string | undefined {
    const file = this.path(path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Returns the path in the form for messages, relative to the project. */
  shown(path: string): string {
    return relative(this.root, this.path(path));
  }

  /** Returns the absolute path, after creating the `.gitignore` of the state directory. */
  prepared(path: string): string {
    createWhole(this.path('.gitignore'), ignored);
    return this.path(path);
  }

  /** Stores a copy of a schema file without replacing earlier copies. Returns its path relative to the project. */
  backUp(text: string, unixMs: number): string {
    const stamp = new Date(unixMs).toISOString().replace(/[-:]|\.\d+/g, '');
    for (let turn = 1; ; turn++) {
      const path = join('backups', `${stamp}${turn === 1 ? '' : `-${turn}`}.svc.schema.yaml`);
      if (createWhole(this.prepared(path), text)) return this.shown(path);
    }
  }
}
