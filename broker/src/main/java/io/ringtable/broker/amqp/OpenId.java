package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a connection, or what is open on it: {@code c17}, its link {@code c17.3}, its transaction {@code c17.t2}.
 *
 * @param connection number of the connection
 * @param part number of the link or the transaction; 0 for the connection itself
 */
record OpenId(long connection, long part) {
    /** Lists what an id can name. */
    enum Kind {
        CONNECTION("connection", "c17", "c([1-9]\\d{0,17})()"),
        LINK("link", "c17.3", "c([1-9]\\d{0,17})\\.([1-9]\\d{0,17})"),
        TRANSACTION("transaction", "c17.t2", "c([1-9]\\d{0,17})\\.t([1-9]\\d{0,17})");

        private final String word;
        private final String example;
        private final Pattern pattern;

        Kind(String word, String example, String pattern) {
            this.word = word;
            this.example = example;
            this.pattern = Pattern.compile(pattern);
        }

        /** Refuses an id that names nothing. */
        Refusal.Refused notFound(String id) {
            return new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4375",
                    "there is no " + word + " '" + Printable.value(id) + "', such as " + example
                            + ": it has ended, or never was; list those that are open"));
        }
    }

    static OpenId of(Kind kind, String id) {
        Matcher matcher = kind.pattern.matcher(id);
        if (!matcher.matches()) {
            throw kind.notFound(id);
        }
        String part = matcher.group(2);
        return new OpenId(Long.parseLong(matcher.group(1)), part.isEmpty() ? 0 : Long.parseLong(part));
    }
}
