#!/usr/bin/env bash
# Makes what the image lays over its base: the directories that the broker writes to, and on scratch a JRE by jlink with
# the libraries of this machine that it needs.
#
#   containers/root.sh BASE INTO JAVA_HOME
set -euo pipefail

base=$1
root=$2
java_home=$3

# What the broker and its libraries use; a module that is missing ends the start with an error.
modules=java.base,java.compiler,java.desktop,java.instrument,java.logging,java.management,java.naming,java.net.http,\
java.prefs,java.rmi,java.scripting,java.security.jgss,java.security.sasl,java.sql,java.transaction.xa,java.xml,\
jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs

rm -rf "$root"
mkdir -p "$root/tmp" "$root/var/lib/ringtable"
if [ "$base" != scratch ]; then
    exit
fi

mkdir -p "$root/opt/java" "$root/etc"
# It lives briefly: the first compiler and the serial collector halve its processor time.
"$java_home/bin/jlink" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC --module-path "$java_home/jmods" \
    --add-modules "$modules" --strip-debug --no-header-files --no-man-pages --output "$root/opt/java/openjdk"
# Debian links its configuration to /etc.
find "$root/opt/java/openjdk" -xtype l -print -quit | grep . && {
    echo "$java_home makes a JRE with links that lead nowhere" >&2
    exit 1
}
# The libraries of the machine that the JRE's own ones are linked to, without those for windows, fonts and sound.
find "$root/opt/java/openjdk" -type f \( -name '*.so' -o -path '*/bin/java' \) \
    ! -name 'libawt*' ! -name 'libfont*' ! -name 'libfreetype*' ! -name 'libharfbuzz*' ! -name 'libjavajpeg*' \
    ! -name 'libjawt*' ! -name 'libjsound*' ! -name 'liblcms*' ! -name 'libmlib*' ! -name 'libsplash*' \
    -exec ldd {} + 2>/dev/null |
    grep -o '/[^ ]*' | grep -v ':$' | sort -u | while read -r library; do
    if [[ $library != "$root"/* ]]; then
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    fi
done
# Linked by the libraries of SQLite and Netty, which are unpacked at run time; looked for by name: users and hosts.
libc=$(ldd "$root/opt/java/openjdk/bin/java" | grep -o '/[^ ]*/libc\.so\.6')
for library in lib{pthread.so.0,dl.so.2,rt.so.1,nss_files.so.2,nss_dns.so.2,resolv.so.2}; do
    cp -L "$(dirname "$libc")/$library" "$root$(dirname "$libc")/$library"
done
printf 'root:x:0:0:root:/:/nologin\nringtable:x:10001:10001:Ringtable:/var/lib/ringtable:/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nringtable:x:10001:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
