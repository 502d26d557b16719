/** `svc.state/`: what a project remembers. Accepted schemas belong into version control; backups and migrations under way do not. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createWhole } from './write-file.ts';

const ignored = '# Only of this machine.\nbackups/\npending/\n';

/** An identity as part of a path. */
export function fileNameOf(databaseId: string): string {
  return databaseId.replace(/[^0-9a-zA-Z-]/g, '_');
}

export class StateDirectory {
  private readonly root: string;
  private readonly directory: string;

  /** `root` is the project's directory. */
  constructor(root: string) {
    this.root = root;
    this.directory = join(root, 'svc.state');
  }

  /** `path` is relative to the state directory; so is it everywhere below. */
  path(path: string): string {
    return join(this.directory, path);
  }

  /** Names in a directory, sorted; none where it is not there. */
  names(directory: string): readonly string[] {
    const path = this.path(directory);
    return existsSync(path) ? readdirSync(path).sort() : [];
  }

  /** The text of a file; undefined where it is not there. */
  text(path: string): string | undefined {
    const file = this.path(path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** As messages name it: relative to the project. */
  shown(path: string): string {
    return relative(this.root, this.path(path));
  }

  /** The absolute path, in a state directory that tells version control what is not its business. */
  prepared(path: string): string {
    createWhole(this.path('.gitignore'), ignored);
    return this.path(path);
  }

  /** Keeps a copy of a schema file, and those before it; its path relative to the project. */
  backUp(text: string, unixMs: number): string {
    const stamp = new Date(unixMs).toISOString().replace(/[-:]|\.\d+/g, '');
    for (let turn = 1; ; turn++) {
      const path = join('backups', `${stamp}${turn === 1 ? '' : `-${turn}`}.svc.schema.yaml`);
      if (createWhole(this.prepared(path), text)) return this.shown(path);
    }
  }
}
