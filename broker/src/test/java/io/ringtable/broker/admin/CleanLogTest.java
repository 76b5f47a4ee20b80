package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.CoreConstants;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pattern of logback.xml, with its converters, given what a hostile peer may write. */
class CleanLogTest {
    private static final Path CONFIGURATION = Path.of(
            System.getProperty("ringtable.root", ".."), "broker/src/main/resources/io/ringtable/broker/logback.xml");
    private static final String HOSTILE =
            "x\n2026-01-01T00:00:00.000Z ERROR [main] Forged: a line\r\u2028\u0085\u001b[31mred\u202egpj.exe";

    @Test
    void aMessageStaysOneLine() throws Exception {
        String written = written(HOSTILE, null);

        assertThat(written).endsWith(System.lineSeparator());
        assertThat(written.strip()).doesNotContainPattern("[\\p{Cntrl}\u2028\u2029\u0085\u202e]");
        assertThat(written).contains("x?2026-01-01");
    }

    @Test
    void anExceptionsMessageStaysOneLine() throws Exception {
        Throwable cause = new IllegalStateException(HOSTILE);
        Throwable thrown = new IllegalArgumentException("outer\nat forged.Frame(Here.java)", cause);
        thrown.addSuppressed(new IllegalStateException("suppressed\nForged"));

        String written = written("failed", thrown);

        assertThat(written.lines().filter(line -> line.contains("orged"))).hasSize(3);
        assertThat(written)
                .contains("outer?at forged.Frame")
                .contains("suppressed?Forged")
                .contains("Caused by");
    }

    private static String written(String message, Throwable thrown) throws Exception {
        String xml = Files.readString(CONFIGURATION);
        LoggerContext context = new LoggerContext();
        @SuppressWarnings("unchecked")
        Map<String, Supplier<?>> rules =
                (Map<String, Supplier<?>>) context.getObject(CoreConstants.PATTERN_RULE_REGISTRY_FOR_SUPPLIERS);
        Map<String, Supplier<?>> registered = rules == null ? new java.util.HashMap<>() : rules;
        Matcher rule = Pattern.compile("conversionWord=\"(\\w+)\"\\s+class=\"([\\w.]+)\"")
                .matcher(xml);
        while (rule.find()) {
            Class<?> type = Class.forName(rule.group(2));
            registered.put(rule.group(1), () -> instance(type));
        }
        context.putObject(CoreConstants.PATTERN_RULE_REGISTRY_FOR_SUPPLIERS, registered);
        Matcher pattern = Pattern.compile("<pattern>(.*?)</pattern>").matcher(xml);
        assertThat(pattern.find()).isTrue();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(pattern.group(1));
        encoder.start();
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName("Test");
        event.setThreadName("main");
        event.setLevel(ch.qos.logback.classic.Level.WARN);
        event.setInstant(java.time.Instant.EPOCH);
        event.setMessage(message);
        if (thrown != null) {
            event.setThrowableProxy(new ThrowableProxy(thrown));
        }
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    private static Object instance(Class<?> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
