package io.ringtable.broker.shard;

/** Counts the calls that change something, in the directory and in the shards, and lets one of them fail. */
final class CallCount {
    private int made;
    private int failing = -1;
    private DirectoryFault fault = DirectoryFault.NONE;

    /** @param call 0 = the next one */
    void fail(int call, DirectoryFault how) {
        made = 0;
        failing = call;
        fault = how;
    }

    void failNone() {
        fail(-1, DirectoryFault.NONE);
    }

    DirectoryFault next() {
        return made++ == failing ? fault : DirectoryFault.NONE;
    }

    int made() {
        return made;
    }
}
