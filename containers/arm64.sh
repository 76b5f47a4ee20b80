#!/usr/bin/env bash
# Builds the arm64 image on a machine of another kind, and starts it there in QEMU: the tests of the image, with a JMS
# client. The image stands on Debian's JRE for arm64.
#
#   containers/arm64.sh
#
# Needs root, and qemu-user-static and mmdebstrap from Debian; where one is missing nothing is started, which it says.
# The JRE comes once, into .cache/arm64. Emulated, the tests take several minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing=()
for tool in qemu-aarch64-static mmdebstrap unshare; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
[ "$(id -u)" = 0 ] || missing+=(root)
if [ ${#missing[@]} -gt 0 ]; then
    echo "SKIPPED the arm64 image: ${missing[*]} missing (apt-get install mmdebstrap qemu-user-static)" >&2
    exit
fi

# --- the base: a JRE at /opt/java/openjdk, as an image in a tar ------------------------------------------------------

cache=$PWD/.cache/arm64
base=$cache/base.tar
if [ ! -f "$base" ]; then
    rm -rf "$cache"
    mkdir -p "$cache"
    # Unpacked and not set up, so that no program of the other architecture runs.
    mmdebstrap --quiet --mode=root --architectures=arm64 --variant=extract --include=openjdk-17-jre-headless \
        bookworm "$cache/root"
    mkdir -p "$cache/root/opt/java"
    ln -s /usr/lib/jvm/java-17-openjdk-arm64 "$cache/root/opt/java/openjdk"
    # The device files of the machine are no part of an image.
    rm -rf "$cache/root/dev" "$cache/root/var/cache/apt" "$cache/root/var/lib/apt"
    tar -C "$cache/root" -cf "$cache/layer.tar" .
    printf '{"architecture":"arm64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
        "$(sha256sum "$cache/layer.tar" | cut -d' ' -f1)" >"$cache/config.json"
    printf '[{"Config":"config.json","RepoTags":["jre:arm64"],"Layers":["layer.tar"]}]' >"$cache/manifest.json"
    tar -C "$cache" -cf "$base.part" manifest.json config.json layer.tar
    mv "$base.part" "$base"
    rm -rf "$cache/root" "$cache/layer.tar" "$cache/config.json" "$cache/manifest.json"
fi

# --- programs for arm64 run in QEMU while this script does -----------------------------------------------------------

formats=/proc/sys/fs/binfmt_misc
[ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats"
if [ ! -e "$formats/qemu-aarch64" ]; then
    # The head of a program for arm64, and which of its bits count. F: the kernel opens QEMU here and now, so that it
    # is found from any root.
    head='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    printf '%s' ":qemu-aarch64:M::$head:$mask:$(command -v qemu-aarch64-static):F" >"$formats/register"
    trap 'printf %s -1 >"$formats/qemu-aarch64"' EXIT
fi

./mvnw -B -ntp verify -Pimage -pl containers -am -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false \
    -Dimage.base="tar://$base" -Dimage.architecture=arm64 -Dtools.required=unshare
