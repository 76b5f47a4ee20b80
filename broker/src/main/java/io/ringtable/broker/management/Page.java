package io.ringtable.broker.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Says which part of a list a caller wants.
 *
 * @param limit most items, 1 to {@value #LIMIT_MAX}
 * @param after the cursor of the page before; null for the first page
 */
public record Page(int limit, String after) {
    public static final int LIMIT_USUAL = 100;
    public static final int LIMIT_MAX = 1_000;

    /** Writes numbers, 0 or above, so that they sort as texts in their own order. */
    private static final String NUMBER = "%019d";

    /**
     * Cuts the page out of a list of things that have numbers.
     *
     * @param sorted by number, without two of one number
     * @param number what the cursor names, 0 or above
     * @param shown as in {@link #of}
     */
    public <T, S> Listing<S> ofNumbered(Stream<T> sorted, ToLongFunction<T> number, Function<T, S> shown) {
        return of(sorted, item -> cursorOf(number.applyAsLong(item)), shown);
    }

    /** Writes the cursor behind the thing of that number. */
    static String cursorOf(long number) {
        return String.format(Locale.ROOT, NUMBER, number);
    }

    /**
     * Cuts the page out of a list.
     *
     * @param sorted by key, without two of one key
     * @param key what the cursor names
     * @param shown makes what the caller sees; called for items of the page alone
     */
    public <T, S> Listing<S> of(Stream<T> sorted, Function<T, String> key, Function<T, S> shown) {
        List<T> found = sorted.filter(item -> after == null || key.apply(item).compareTo(after) > 0)
                .limit(limit + 1L)
                .toList();
        List<S> items = new ArrayList<>();
        found.stream().limit(limit).map(shown).forEach(items::add);
        return new Listing<>(items, found.size() > limit ? key.apply(found.get(limit - 1)) : null);
    }
}
