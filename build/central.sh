#!/usr/bin/env bash
# Makes the file that Maven Central takes, and checks it. Nothing is uploaded: the owner does that, with an account for
# the name space io.ringtable, at Central's portal or through its API.
#
#   build/central.sh --address=URL [--rehearse]
#
# --address   the public address of the sources, which every published pom names (property public.address)
# --rehearse  signs with a new key that is thrown away, to see that everything is there
#
# Without --rehearse GnuPG signs with its default key. Writes target/ringtable-VERSION-central.zip, and ends with 0 only
# if every file that Central asks for is there and every signature is good.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. build/published.sh

address=
rehearse=false
for argument in "$@"; do
    case $argument in
        --address=*) address=${argument#--address=} ;;
        --rehearse) rehearse=true ;;
        *)
            sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
            exit 2
            ;;
    esac
done
[ -n "$address" ] || {
    echo 'which address will the sources be read at? --address=https://...' >&2
    exit 2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $rehearse = true ]; then
    export GNUPGHOME=$work/gnupg
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-gen-key 'Rehearsal <rehearsal@localhost>' rsa3072 sign 1d
fi

publish "$PWD" "$work/bundle" -Pcentral -Dpublic.address="$address" -Dpublic.address.confirmed="$address"

missing=0
want() {
    if [ ! -f "$1" ]; then
        printf 'missing: %s\n' "${1#"$work/bundle/"}"
        missing=$((missing + 1))
    fi
}
while IFS= read -r pom; do
    base=${pom%.pom}
    if ! grep -q '<packaging>pom</packaging>' "$pom"; then
        want "$base.jar"
        want "$base-sources.jar"
        want "$base-javadoc.jar"
    fi
    grep -qF "<url>$address</url>" "$pom" || {
        printf 'another address: %s\n' "${pom#"$work/bundle/"}"
        missing=$((missing + 1))
    }
done < <(find "$work/bundle" -name '*.pom')
while IFS= read -r file; do
    want "$file.md5"
    want "$file.sha1"
    want "$file.asc"
    if [ -f "$file.asc" ] && ! gpg --batch --quiet --verify "$file.asc" "$file" 2>"$work/gpg"; then
        printf 'bad signature: %s\n' "${file#"$work/bundle/"}"
        missing=$((missing + 1))
    fi
done < <(find "$work/bundle" -type f ! -name '*.asc*' ! -name '*.md5' ! -name '*.sha1')

# Each module that the BOM lists is there.
while IFS= read -r artifact; do
    [ -d "$work/bundle/io/ringtable/$artifact" ] || {
        printf 'in the BOM, and not built: %s\n' "$artifact"
        missing=$((missing + 1))
    }
done < <(sed -n 's/.*<artifactId>\(ringtable-.*\)<.*/\1/p' bom/pom.xml | grep -v parent)

if [ "$missing" -ne 0 ]; then
    printf '%s of what Maven Central asks for is not right\n' "$missing"
    exit 1
fi
mkdir -p target
version=$(basename "$(echo "$work"/bundle/io/ringtable/ringtable-bom/*)")
bundle=$PWD/target/ringtable-$version-central.zip
rm -f "$bundle"
(cd "$work/bundle" && zip -q -r "$bundle" io)
printf '%s: %s files\n' "$bundle" "$(find "$work/bundle" -type f | wc -l)"
