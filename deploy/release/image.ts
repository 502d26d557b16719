/** Container images as OCI layouts, if a builder is installed. */

import { join, relative } from 'node:path';
import { runTool } from './run-tool.ts';

const root = join(import.meta.dir, '../..');

interface ImageOptions {
  readonly version: string;
  readonly name: string;
  readonly platform: string;
  /** A path inside the repository, which is the context of the build. */
  readonly executable: string;
  readonly out: string;
  readonly epoch: number;
}

/** The installed builder, or `undefined`. */
export function imageBuilder(): 'buildah' | 'podman' | undefined {
  return (['buildah', 'podman'] as const).find((name) => Bun.which(name) !== null);
}

/** Commands that build `deploy/Containerfile` and write the archive of an OCI layout, in order. */
export function imageCommands(
  builder: 'buildah' | 'podman',
  { version, name, platform, executable, out, epoch }: ImageOptions,
): readonly (readonly string[])[] {
  const tag = `localhost/svc:${version}-${name}`;
  const file = `oci-archive:${join(out, `svc-${version}-${name}.oci.tar`)}`;
  const argument = `EXECUTABLE=${relative(root, executable)}`;
  return [
    [
      builder,
      'build',
      '--format=oci',
      `--platform=${platform}`,
      `--timestamp=${epoch}`,
      `--build-arg=${argument}`,
      '--file=deploy/Containerfile',
      `--tag=${tag}`,
      '.',
    ],
    [builder, 'push', tag, `${file}:${tag}`],
  ];
}

/** Returns the name of the archive. */
export function writeImage(builder: 'buildah' | 'podman', options: ImageOptions): string {
  for (const command of imageCommands(builder, options)) runTool(command, { cwd: root });
  return `svc-${options.version}-${options.name}.oci.tar`;
}
