#!/bin/sh
# Installs svc from a folder of a release.
#
#   SVC_RELEASES=https://example.com/svc/0.1.0 sh install.sh
#
# SVC_RELEASES     base URL of the release, required; the folder that contains SHA256SUMS
# SVC_INSTALL_DIR  where the executable goes; default /usr/local/bin for root, otherwise ~/.local/bin
# SVC_TARGET       platform, such as linux-x64-musl; default: this machine
#
# Nothing is changed if a step fails.
set -eu

fail() {
  echo "install.sh: $1; nothing was changed" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

platform() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "platform: $(uname -s) has no release; expected Linux or Darwin" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "platform: $(uname -m) has no release; expected x86_64 or arm64" ;;
  esac
  # A process under Rosetta sees an Intel processor.
  if [ "$os $arch" = 'darwin x64' ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
    arch=arm64
  fi
  libc=
  if [ "$os" = linux ] && is_musl; then libc=-musl; fi
  echo "$os-$arch$libc"
}

# The loader of glibc decides: machines with glibc can have musl besides.
is_musl() {
  for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 /lib64/ld-linux-aarch64.so.1; do
    [ ! -e "$loader" ] || return 1
  done
  for loader in /lib/ld-musl-*; do
    [ ! -e "$loader" ] || return 0
  done
  return 1
}

download() { # name, file
  if has curl; then
    curl -fsSL --retry 2 -o "$2" "$releases/$1"
  elif has wget; then
    wget -q -O "$2" "$releases/$1"
  else
    fail 'curl, wget: neither was found; install one of them'
  fi || fail "$releases/$1: cannot be downloaded; check SVC_RELEASES"
}

sum_of() { # file
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    fail 'sha256sum, shasum: neither was found; install one of them'
  fi | cut -d ' ' -f 1
}

install_to() { # directory
  if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
    fail "$1: no permission to write; set SVC_INSTALL_DIR to another directory, or run as root"
  fi
  # A rename replaces an executable that is running.
  if ! cp "$folder/svc" "$1/.svc.new" || ! chmod 755 "$1/.svc.new" || ! mv -f "$1/.svc.new" "$1/svc"; then
    rm -f "$1/.svc.new"
    fail "$1/svc: cannot be written"
  fi
}

main() {
  releases=${SVC_RELEASES:-}
  releases=${releases%/}
  [ -n "$releases" ] || fail 'SVC_RELEASES: not set; set it to the URL of a release'
  target=${SVC_TARGET:-$(platform)}
  if [ "$(id -u)" = 0 ]; then usual=/usr/local/bin; else usual=${HOME:-}/.local/bin; fi
  directory=${SVC_INSTALL_DIR:-$usual}

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM

  download SHA256SUMS "$scratch/SHA256SUMS"
  if has zstd; then suffix=tar.zst; else suffix=tar.gz; fi
  line=$(grep -E "  svc-[0-9][^ ]*-$target\\.$suffix\$" "$scratch/SHA256SUMS" | head -1) || true
  [ -n "$line" ] || fail "$target: the release has no archive for this platform"
  expected=${line%% *}
  archive=${line##* }

  echo "downloading $archive"
  download "$archive" "$scratch/$archive"
  actual=$(sum_of "$scratch/$archive")
  [ "$actual" = "$expected" ] || fail "$archive: expected checksum $expected, got $actual"

  if [ "$suffix" = tar.zst ]; then
    zstd -q -d -c "$scratch/$archive" | tar -xf - -C "$scratch"
  else
    tar -xzf "$scratch/$archive" -C "$scratch"
  fi || fail "$archive: cannot be unpacked"
  folder=$scratch/${archive%."$suffix"}
  if ! "$folder/svc" version >/dev/null 2>&1; then
    case $target in
      *-musl) fail "$target: the executable does not start on this machine; install libstdc++ (apk add libstdc++)" ;;
      *) fail "$target: the executable does not start on this machine; set SVC_TARGET to another platform" ;;
    esac
  fi

  install_to "$directory"
  echo "installed svc $("$directory/svc" version) as $directory/svc"
  case ":${PATH:-}:" in
    *":$directory:"*) svc=svc ;;
    *)
      svc=$directory/svc
      echo "$directory is not in PATH; add it: export PATH=\"$directory:\$PATH\""
      ;;
  esac
  echo
  echo "Next:"
  echo "  $svc init my-app    a project with a first schema"
  echo "  $svc dev            in my-app: a server that follows the project"
  echo "  $svc docs           the documentation"
}

main "$@"
