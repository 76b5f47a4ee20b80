package io.ringtable.broker.catalog;

import java.util.HashMap;
import java.util.Map;

/**
 * How much of something that is bounded each owner has. One owner may have half of it, so that nobody shuts the next one
 * out.
 * <p>
 * Thread: committer.
 */
public final class OwnerShares {
    private final Map<String, Integer> counts = new HashMap<>();

    /** What one owner may have, at least 1. @param max the bound of all of them */
    public static int shareOf(int max) {
        return Math.max(1, max / 2);
    }

    /** @param owner null = nobody's */
    public int of(String owner) {
        return owner == null ? 0 : counts.getOrDefault(owner, 0);
    }

    public void took(String owner) {
        if (owner != null) {
            counts.merge(owner, 1, Integer::sum);
        }
    }

    public void gaveBack(String owner) {
        if (owner != null) {
            counts.computeIfPresent(owner, (name, count) -> count == 1 ? null : count - 1);
        }
    }
}
