#!/usr/bin/env bash
# Runs `.ci/run` in a fresh clone of HEAD: what lands is what is committed. On success the hash of the commit is written to
# node_modules/.cache/ci-green of this checkout. Arguments: none. Nothing else should run on the machine meanwhile.
set -euo pipefail
cd "$(dirname "$0")/../.."

commit=$(git rev-parse HEAD)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet --no-local . "$folder/svc"
git -C "$folder/svc" checkout --quiet --detach "$commit"
[ -z "$(git status --short)" ] || echo "ci:clean: the work tree has changes that are not committed; they are not part of this run" >&2
bash "$folder/svc/.ci/run" </dev/null
mkdir -p node_modules/.cache
echo "$commit" >node_modules/.cache/ci-green
