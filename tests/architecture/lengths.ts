/** How long functions are, by TypeScript's own parser. */

import { join } from 'node:path';
import { isFunctionLikeDeclaration, type Node, type SourceFile } from 'typescript/unstable/ast';
import { TypeChecker } from '../mutate/type-checker.ts';
import { lineAt } from './source.ts';

interface FunctionLength {
  /** `src/module/file.ts:12 name`. */
  readonly place: string;
  /** From its first line to its last one, functions within it included. */
  readonly lines: number;
}

function functionsOf(path: string, file: SourceFile): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  const visit = (node: Node): void => {
    if (isFunctionLikeDeclaration(node)) {
      const { name } = node as { readonly name?: { readonly text?: string } };
      const from = lineAt(file.text, node.getStart(file));
      const lines = lineAt(file.text, node.end) - from + 1;
      found.push({ place: `${path}:${from} ${name?.text ?? ''}`.trimEnd(), lines });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** The functions of these files, whose paths begin at `root`. Nothing is checked, so neither imports nor libraries are read. */
export async function functionLengths(
  root: string,
  paths: readonly string[],
): Promise<readonly FunctionLength[]> {
  const compilerOptions = { noLib: true, noResolve: true, types: [], noEmit: true };
  const config = JSON.stringify({ compilerOptions, files: paths });
  await using parser = await TypeChecker.open(
    root,
    new Map([[join(root, 'tsconfig.json'), config]]),
  );
  const files = await Promise.all(
    paths.map(async (path) => functionsOf(path, await parser.sourceFile(path))),
  );
  return files.flat();
}
