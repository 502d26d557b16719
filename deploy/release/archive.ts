/** Archives with equal bytes for equal files: sorted names, one date, no owners. */

import { join } from 'node:path';
import { runTool } from './run-tool.ts';

interface ArchiveOptions {
  /** The folder that contains `name`. */
  readonly parent: string;
  /** The folder that becomes the archive. */
  readonly name: string;
  readonly out: string;
  /** Modification time of all files, in seconds since 1970. */
  readonly epoch: number;
  /** Compression level of zstd, 1 to 19. */
  readonly level: number;
}

/** Writes `<name>.tar.zst`, and `<name>.tar.gz` for systems without zstd. Returns their names. */
export function writeArchives(options: ArchiveOptions): readonly string[] {
  const { parent, name, out, epoch, level } = options;
  const tar = join(out, `${name}.tar`);
  runTool([
    gnuTar(),
    '--create',
    '--format=gnu',
    '--sort=name',
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rw,go+r-w',
    `--file=${tar}`,
    `--directory=${parent}`,
    name,
  ]);
  // The number of threads has no influence on the bytes.
  runTool(['zstd', '--quiet', '--force', `-${level}`, '-T0', tar, '-o', `${tar}.zst`]);
  runTool(['gzip', '--force', '--no-name', level < 9 ? '-1' : '-9', tar]);
  return [`${name}.tar.zst`, `${name}.tar.gz`];
}

/** GNU tar has another name on macOS. */
function gnuTar(): string {
  return Bun.which('gtar') === null ? 'tar' : 'gtar';
}
