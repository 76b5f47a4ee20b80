#!/usr/bin/env bash
# Builds the committed sources twice, as two people would: in two directories, with another time zone, language and
# umask. Then it compares every published file and both archives of the distribution byte by byte. Jars keep the rights
# of files: a umask that takes everybody's right to read, such as 077, makes other bytes.
#
#   build/reproducible.sh [DIRECTORY]
#
# DIRECTORY takes both builds and stays (1 GB); without it they lie below the system's temporary directory and go. Ends
# with 0 only if all are the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. build/published.sh

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    work=$(cd "$1" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

build() {
    local name=$1
    mkdir -p "$work/$name"
    git archive HEAD | tar -x -C "$work/$name"
    publish "$work/$name" "$work/$name-published"
    cp "$work/$name"/distribution/target/ringtable-*.tar.gz "$work/$name"/distribution/target/ringtable-*.zip \
        "$work/$name-published"
}

(
    umask 022
    TZ=UTC LC_ALL=C build one
)
(
    umask 002
    TZ=Asia/Tokyo LC_ALL=C.UTF-8 build another-one
)

different=0
count=0
while IFS= read -r file; do
    count=$((count + 1))
    if ! cmp -s "$work/one-published/$file" "$work/another-one-published/$file"; then
        printf 'different: %s\n' "$file"
        different=$((different + 1))
    fi
done < <(cd "$work" && find one-published another-one-published -type f |
    sed 's,^[^/]*/,,' | sort -u)

printf '%s files, %s of them different\n' "$count" "$different"
[ "$count" -gt 10 ] && [ "$different" -eq 0 ]
