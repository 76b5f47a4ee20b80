package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.PropertyNames;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A property that a message names exists, and stands there as it is set: an operator copies it. */
class PropertiesInMessagesTest {
    private static final Pattern MENTION = Pattern.compile(
            "(?<![\\w.-])(ringtable\\.)?(amqp|commit|dispatch|store|ring|inbox|restart|security|watermark|metrics)"
                    + "\\.[a-z]+(-[a-z]+)*(\\.[a-z]+(-[a-z]+)*)*");

    /** The names of metrics, and of properties that are gone. */
    private static final Set<String> OTHER_NAMES = Set.of("BrokerMetric.java", "RemovedNames.java");

    @Test
    void everyPropertyThatAMessageNamesExists() throws IOException {
        PropertyNames known = PropertyNames.ofBroker();
        Set<String> names = known.names();
        Set<String> wrong = new TreeSet<>();
        Set<String> right = new TreeSet<>();
        SourceLiterals.forEach("broker", (file, text) -> {
            if (OTHER_NAMES.contains(file.getFileName().toString())) {
                return;
            }
            Matcher mention = MENTION.matcher(text);
            while (mention.find()) {
                String name = mention.group();
                boolean exists = known.isKnown(name) || names.stream().anyMatch(group -> group.startsWith(name));
                (exists ? right : wrong).add(file.getFileName() + ": " + name);
            }
        });
        assertThat(wrong).isEmpty();
        assertThat(right).hasSizeGreaterThan(30);
    }
}
