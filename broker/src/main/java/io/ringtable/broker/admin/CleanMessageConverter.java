package io.ringtable.broker.admin;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.ringtable.broker.message.Printable;

/**
 * Keeps every message of the log on one line: libraries log text of peers as well. This is the second line of defence,
 * named in {@code logback.xml}. The first is {@link Printable}, where a text comes in. (Structured logging in
 * JSON escapes by itself.)
 * <p>
 * Thread: any that logs.
 */
public final class CleanMessageConverter extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return Printable.text(super.convert(event));
    }
}
