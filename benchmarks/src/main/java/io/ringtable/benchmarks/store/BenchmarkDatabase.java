package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.report.CpuTime;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** An empty database of its own for one workload, removed with it. Thread: any. */
interface BenchmarkDatabase extends AutoCloseable {

    /** Name of the directory that holds the engine's statements. */
    String engine();

    StoreSettings settings();

    /** A connection as durable as the store's, for the naive queue. */
    Connection connect() throws SQLException;

    /** Opened after the first commit. */
    LogMeter logMeter();

    /** Engine, version and the settings that decide about durability, as the engine itself tells them. */
    String description();

    /** On the disk that the engine syncs, as far as that is known. */
    Path directory();

    /** Processor time of this process, in which an embedded engine runs; a server of ours adds its own. */
    default double cpuSeconds() {
        return CpuTime.seconds(ProcessHandle.current());
    }

    @Override
    void close();
}
