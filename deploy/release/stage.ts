/** The content of an archive: the executable and its documents. */

import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manPages } from '#cli';
import { runTool } from './run-tool.ts';

const root = join(import.meta.dir, '../..');

/** Texts that are the same in each archive, by path. */
export type Documents = ReadonlyMap<string, string>;

/** Where each shell looks for completions below a prefix such as `/usr/share`. */
const completions = {
  bash: 'bash-completion/completions/svc',
  zsh: 'zsh/site-functions/_svc',
  fish: 'fish/vendor_completions.d/svc.fish',
} as const;

export interface DocumentOptions {
  readonly version: string;
  /** Of the release, YYYY-MM-DD. */
  readonly date: string;
  readonly notices: string;
}

/** Returns the documents by their path in the archive. */
export function documentsOf({ version, date, notices }: DocumentOptions): Documents {
  const pages = [...manPages(date)].map(
    ([name, text]) => [`share/man/man1/${name}`, text] as const,
  );
  const scripts = Object.entries(completions).map(
    ([shell, path]) => [`share/${path}`, completionOf(shell)] as const,
  );
  return new Map([
    ['README', readme(version)],
    ['NOTICES', notices],
    ['svc.service', readFileSync(join(root, 'deploy/svc.service'), 'utf8')],
    ...pages,
    ...scripts,
  ]);
}

function completionOf(shell: string): string {
  return runTool([process.execPath, 'run', 'src/main.ts', 'completions', shell], { cwd: root });
}

/** Ten lines. */
const readme = (
  version: string,
): string => `svc ${version}: a relational database service that speaks JSON over HTTP.

Start:     ./svc serve     data goes to svc.data, http://127.0.0.1:7237 answers
Project:   ./svc init my-app && cd my-app && svc dev
Install:   copy svc to /usr/local/bin and share/ to /usr/local/share
Service:   svc.service is a unit of systemd; it starts /usr/local/bin/svc
Help:      svc --help, man svc, svc docs (the documentation is in the executable)
Check:     svc doctor project checks a project, svc doctor store a data directory
Shells:    share/ contains manual pages and completions for bash, zsh and fish
Licences:  NOTICES lists the software that the executable contains
`;

/** Writes the executable and the documents to `folder`. */
export function stage(folder: string, executable: string, documents: Documents): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(executable, join(folder, 'svc'));
  chmodSync(join(folder, 'svc'), 0o755);
  for (const [path, text] of documents) writeText(join(folder, path), text);
}

export function writeText(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
