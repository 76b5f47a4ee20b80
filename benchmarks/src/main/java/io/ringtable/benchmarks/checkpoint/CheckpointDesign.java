package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.Databases;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Names what is changed before a checkpoint, and how the engine writes it. Thread: any. */
enum CheckpointDesign {
    /** No checkpoint at all: what a commit takes where none disturbs it. */
    CHECKPOINT_NONE(null, true),
    CHECKPOINT_CONTIGUOUS(CheckpointStatement.CHECKPOINT_CONTIGUOUS, true),
    CHECKPOINT_ALTERNATING(CheckpointStatement.CHECKPOINT_ALTERNATING, true),
    CHECKPOINT_CONTIGUOUS_UNCAPPED(CheckpointStatement.CHECKPOINT_CONTIGUOUS, false),
    CHECKPOINT_ALTERNATING_UNCAPPED(CheckpointStatement.CHECKPOINT_ALTERNATING, false);

    private final CheckpointStatement change; // null if nothing is changed
    private final boolean capped;

    CheckpointDesign(CheckpointStatement change, boolean capped) {
        this.change = change;
        this.capped = capped;
    }

    /** Returns the design of a name; empty if it is no checkpoint's. */
    static Optional<CheckpointDesign> of(String name) {
        return Arrays.stream(values())
                .filter(design -> design.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }

    /** Returns the statement that changes half of the pages. */
    CheckpointStatement change() {
        return change;
    }

    /** Returns whether there is a checkpoint. */
    boolean hasCheckpoint() {
        return change != null;
    }

    /** Returns whether the engine limits by itself how much it has under way. */
    boolean isCapped() {
        return capped;
    }

    /** Returns why an engine cannot run it; empty if it can. */
    Optional<String> whyNot(String engine) {
        if (capped || engine.equals(Databases.POSTGRESQL)) {
            return Optional.empty();
        }
        return Optional.of(
                engine.equals(Databases.SQLITE)
                        ? "SQLite has no cap, so its checkpoint is uncapped already"
                        : "SQL Server chooses itself how many writes it has under way");
    }
}
