package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds what the archives have in them, before anything is started. */
class PackedFilesTest {
    @TempDir
    static Path directory;

    private static Path tar;

    @BeforeAll
    static void unpack() throws Exception {
        tar = Archives.untar(Files.createDirectory(directory.resolve("tar")));
    }

    @Test
    void theZipHoldsTheSameFilesWithTheSamePermissions() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/unzip")), "no unzip on this machine");
        Path zip = Archives.unzip(Files.createDirectory(directory.resolve("zip")));

        Map<String, String> listing = Archives.listing(tar);

        assertThat(Archives.listing(zip)).isEqualTo(listing);
        assertThat(listing)
                .containsKeys("LICENSE", "THIRD-PARTY.txt", "README.md", "conf/application.yaml")
                .containsKeys("systemd/ringtable.service", "sbom/ringtable-distribution.cdx.json")
                .containsKeys("ops/grafana/ringtable.json", "ops/prometheus/ringtable.rules.yaml");
        assertThat(listing.get("bin/ringtable")).startsWith("rwxr-xr-x");
        assertThat(listing.entrySet())
                .filteredOn(file -> !file.getKey().equals("bin/ringtable"))
                .allMatch(file -> file.getValue().startsWith("rw-r--r--"));
    }

    @Test
    void everyJarIsOnAClassPathAndEveryClassPathIsThere() throws Exception {
        TreeSet<String> named = new TreeSet<>(classPath("ringtable-broker.jar"));
        named.addAll(classPath("ringtable-cli.jar"));
        named.add("ringtable-broker.jar");
        named.add("ringtable-cli.jar");

        assertThat(jars()).isEqualTo(named);
        assertThat(classPath("ringtable-broker.jar")).noneMatch(jar -> jar.startsWith("slf4j-simple"));
    }

    @Test
    void everyLibraryHasItsLicenceAndStandsInTheBillOfMaterials() throws Exception {
        String licences = Files.readString(tar.resolve("THIRD-PARTY.txt"));
        String bill = Files.readString(tar.resolve("sbom/ringtable-distribution.cdx.json"));
        List<String> absent = new ArrayList<>();
        for (String jar : jars()) {
            String name = jar.replaceFirst("-\\d.*", "");
            if (!name.startsWith("ringtable") && !(licences.contains(":" + name + ":") && bill.contains(name))) {
                absent.add(jar);
            }
        }
        assertThat(absent).isEmpty();
    }

    @Test
    void theUnitIsOneThatSystemdTakes() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "no systemd-analyze on this machine");
        // The unit names the place of an installation and a user who is not on this machine.
        Path unit = Files.writeString(
                directory.resolve("ringtable.service"),
                Files.readString(tar.resolve("systemd/ringtable.service"))
                        .replace("/opt/ringtable", tar.toString())
                        .replaceAll("(User|Group)=ringtable\n", ""));

        Shell.Result verified = Shell.run(directory, "systemd-analyze", "verify", unit.toString());

        assertThat(verified.err()).isEmpty();
        assertThat(verified.exitCode()).isZero();
    }

    private static List<String> classPath(String jar) throws IOException {
        try (JarFile file = new JarFile(tar.resolve("lib").resolve(jar).toFile())) {
            return List.of(file.getManifest()
                    .getMainAttributes()
                    .getValue("Class-Path")
                    .split(" "));
        }
    }

    private static TreeSet<String> jars() throws IOException {
        try (Stream<Path> files = Files.list(tar.resolve("lib"))) {
            return new TreeSet<>(
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }
}
