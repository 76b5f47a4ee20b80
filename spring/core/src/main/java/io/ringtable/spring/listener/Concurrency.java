package io.ringtable.spring.listener;

import io.ringtable.client.RingtableException;
import io.ringtable.spring.internal.SpringErrors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says how many consumers an address of a listener has, each with a link and a thread of its own.
 *
 * @param least consumers while there is little to do, at least 1
 * @param most consumers under load, at least {@code least}
 */
public record Concurrency(int least, int most) {

    /** One consumer, which gets the messages in their order. */
    public static final Concurrency ONE = new Concurrency(1, 1);

    /** Says which texts are understood. */
    public static final String CURE = "use a number from 1, or a range such as 1-4";

    private static final Pattern FORM = Pattern.compile("(\\d{1,6})(?:\\s*-\\s*(\\d{1,6}))?");

    /** @throws RingtableException RT-5040 if a number is out of its range */
    public Concurrency {
        if (least < 1 || most < least) {
            throw refused(least + "-" + most);
        }
    }

    /**
     * Reads a number, as {@code 4}, or a range, as {@code 1-4}.
     *
     * @throws RingtableException RT-5040 if the text is neither
     */
    public static Concurrency of(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw refused(text);
        }
        int least = Integer.parseInt(matcher.group(1));
        return new Concurrency(least, matcher.group(2) == null ? least : Integer.parseInt(matcher.group(2)));
    }

    private static RingtableException refused(String text) {
        return SpringErrors.setting("concurrency '" + text + "'", CURE);
    }

    @Override
    public String toString() {
        return least == most ? Integer.toString(least) : least + "-" + most;
    }
}
