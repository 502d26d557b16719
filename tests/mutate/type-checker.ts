/** TypeScript's own parser and checker, over the source as it is and over one file as it would be. */

import { join } from 'node:path';
import type { SourceFile } from 'typescript/unstable/ast';
import { API, type Program, type Snapshot } from 'typescript/unstable/async';

export class TypeChecker implements AsyncDisposable {
  private readonly root: string;
  private readonly api: API;
  private readonly snapshot: Snapshot;
  private readonly overlay: Map<string, string>;
  /** The file that had another text the last time: TypeScript has not been told yet that it is what it was. */
  private restored: readonly string[] = [];

  /** Files of `given`, by their whole path, stand before those on disk. */
  static async open(
    root: string,
    given: ReadonlyMap<string, string> = new Map(),
  ): Promise<TypeChecker> {
    const overlay = new Map(given);
    const api = new API({ cwd: root, fs: { readFile: (path) => overlay.get(path) } });
    const snapshot = await api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] });
    return new TypeChecker(root, api, snapshot, overlay);
  }

  private constructor(root: string, api: API, snapshot: Snapshot, overlay: TypeChecker['overlay']) {
    this.root = root;
    this.api = api;
    this.snapshot = snapshot;
    this.overlay = overlay;
  }

  /** As it was when the checker was opened. */
  async sourceFile(file: string): Promise<SourceFile> {
    const found = await programOf(this.snapshot).getSourceFile(join(this.root, file));
    if (found === undefined) throw new Error(`${file} is not part of the project`);
    return found;
  }

  /** Whether the file still passes with another text; with `everywhere`, all others too. */
  async accepts(file: string, text: string, everywhere = false): Promise<boolean> {
    const path = join(this.root, file);
    const original = this.overlay.get(path);
    this.overlay.set(path, text);
    const changed = [path, ...this.restored];
    this.restored = [path];
    const snapshot = await this.api.updateSnapshot({ fileChanges: { changed } });
    try {
      const program = programOf(snapshot);
      if ((await program.getSyntacticDiagnostics(path)).length > 0) return false;
      const found = await program.getSemanticDiagnostics(everywhere ? undefined : path);
      return found.length === 0;
    } finally {
      if (original === undefined) this.overlay.delete(path);
      else this.overlay.set(path, original);
      await snapshot.dispose();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api.close();
  }
}

function programOf(snapshot: Snapshot): Program {
  const project = snapshot.getProjects()[0];
  if (project === undefined) throw new Error('tsconfig.json names no project');
  return project.program;
}
