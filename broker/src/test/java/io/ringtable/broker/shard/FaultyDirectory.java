package io.ringtable.broker.shard;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.List;
import java.util.stream.Collectors;

/** A real directory, one call of which fails, or comes too late, when the test says so. */
final class FaultyDirectory implements DirectoryStore {
    private final DirectoryStore store;
    private final CallCount calls;
    private List<HomeChange> late; // of a node that was frozen before its call reached the store
    boolean comparesNoVersions; // an omission that the simulation must find

    FaultyDirectory(DirectoryStore store, CallCount calls) {
        this.store = store;
        this.calls = calls;
    }

    @Override
    public Answer alter(List<HomeChange> changes) {
        DirectoryFault fault = calls.next();
        switch (fault) {
            case CRASH_BEFORE -> throw new FaultyStore.Crash();
            case FAILS -> throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "RT-3099", "the test says so");
            case LATE -> {
                late = changes;
                throw new FaultyStore.Crash();
            }
            default -> {}
        }
        Answer answer = store.alter(changes);
        switch (fault) {
            case CRASH_AFTER -> throw new FaultyStore.Crash();
            case ANSWER_LOST ->
                throw new StoreFailure(StoreFailure.Kind.OUTCOME_UNKNOWN, "RT-3099", "the test says so");
            default -> {}
        }
        return answer;
    }

    /** Makes the call of the frozen node, whose shards others have by now. */
    void arrive() {
        if (late == null) {
            return;
        }
        if (comparesNoVersions) {
            late = late.stream().map(this::ofToday).collect(Collectors.toList());
            late.removeIf(change -> change == null);
        }
        if (!late.isEmpty()) {
            store.alter(late);
        }
        late = null;
    }

    private HomeChange ofToday(HomeChange change) {
        HomeRow row = change.row();
        long version = store.changes(0).rows().stream()
                .filter(today ->
                        today.scope() == row.scope() && today.name().equals(row.name()) && today.part() == row.part())
                .mapToLong(HomeRow::version)
                .findFirst()
                .orElse(0);
        return version == 0 && change.isRemoval()
                ? null
                : new HomeChange(
                        new HomeRow(
                                row.scope(),
                                row.name(),
                                row.part(),
                                row.kind(),
                                row.shard(),
                                row.owner(),
                                row.state(),
                                version),
                        change.isRemoval());
    }

    @Override
    public Changes changes(long since) {
        return store.changes(since);
    }
}
