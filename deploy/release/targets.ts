/** The platforms of a release. */

export interface Target {
  /** Part of the names of archives, and the name by which `install.sh` asks for one. */
  readonly name: string;
  /** The runtime of Bun that the executable contains. */
  readonly runtime: string;
  /** The architecture by its name in Debian; absent for targets without a package. */
  readonly debian?: 'amd64' | 'arm64';
  /** The platform by its name in container images; absent for targets without an image. */
  readonly image?: 'linux/amd64' | 'linux/arm64';
}

export const targets: readonly Target[] = [
  { name: 'linux-x64', runtime: 'bun-linux-x64', debian: 'amd64', image: 'linux/amd64' },
  { name: 'linux-arm64', runtime: 'bun-linux-arm64', debian: 'arm64', image: 'linux/arm64' },
  { name: 'linux-x64-musl', runtime: 'bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', runtime: 'bun-linux-arm64-musl' },
  { name: 'darwin-arm64', runtime: 'bun-darwin-arm64' },
  { name: 'darwin-x64', runtime: 'bun-darwin-x64' },
];
