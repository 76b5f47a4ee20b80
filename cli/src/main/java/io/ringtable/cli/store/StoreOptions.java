package io.ringtable.cli.store;

import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Holds the options that say where an embedded store is. */
final class StoreOptions {
    private static final String FILE = "ringtable.db";

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "The broker's data directory, ringtable.data-dir (default: data; environment:"
                    + " RINGTABLE_DATA_DIR). The store is the file " + FILE + " in it.")
    private Path dataDir;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "The store's file instead, where ringtable.store.url names one: jdbc:sqlite:STORE.")
    private Path store;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Returns the file of the store. */
    Path file() {
        if (store != null && dataDir != null) {
            throw new ParameterException(spec.commandLine(), "--data-dir and --store exclude each other");
        }
        if (store != null) {
            return store;
        }
        if (dataDir != null) {
            return dataDir.resolve(FILE);
        }
        String variable = System.getenv("RINGTABLE_DATA_DIR");
        return Path.of(variable == null || variable.isBlank() ? "data" : variable)
                .resolve(FILE);
    }
}
