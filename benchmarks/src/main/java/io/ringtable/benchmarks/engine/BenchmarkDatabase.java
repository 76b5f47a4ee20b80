package io.ringtable.benchmarks.engine;

import io.ringtable.benchmarks.report.CpuTime;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Gives one workload a database of its own, empty at first; closing it removes the database. Thread: any. */
public interface BenchmarkDatabase extends AutoCloseable {

    /** Returns the name of the directory that holds the engine's statements. */
    String engine();

    StoreSettings settings();

    /** Opens a connection as durable as the store's, for the naive queue. */
    Connection connect() throws SQLException;

    /** Opens a connection whose commits do not wait for the disk, in the engine's own way. */
    Connection connectDelayed() throws SQLException;

    /** Opens a meter of the engine's work. */
    EngineMeter meter();

    /** Returns why commits of this session may be lost in a crash of the machine; empty if they may not. */
    Optional<String> whyNotDurable(Connection session) throws SQLException;

    /** Returns why the files do not survive a crash of the machine; empty if they may, or if nobody here knows. */
    Optional<String> whyNotOnDisk();

    /** Opens the meter of the log, after the first commit. */
    LogMeter logMeter();

    /** Returns engine, version and the settings that decide durability, all from the engine itself. */
    String description();

    /** Returns a directory on the disk that the engine syncs, as far as that is known. */
    Path directory();

    /** Returns the processor time of this process, which runs embedded engines; a server started here adds its own. */
    default double cpuSeconds() {
        return CpuTime.seconds(ProcessHandle.current());
    }

    @Override
    void close();
}
