package io.ringtable.broker.amqp;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Holds the lines of the audit log from its making to its close. */
final class AuditLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger log = (Logger) LoggerFactory.getLogger("ringtable.audit");
    private final List<String> lines = new CopyOnWriteArrayList<>();

    AuditLines() {
        start();
        log.setLevel(Level.INFO);
        log.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage());
    }

    /** Returns the lines that have a text in them. */
    List<String> about(String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void close() {
        log.detachAppender(this);
        log.setLevel(null);
    }
}
