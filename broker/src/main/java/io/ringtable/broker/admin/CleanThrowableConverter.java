package io.ringtable.broker.admin;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.ringtable.broker.message.Printable;
import org.springframework.boot.logging.logback.ExtendedWhitespaceThrowableProxyConverter;

/**
 * Keeps the message of each exception in a stack trace on one line, as {@link CleanMessageConverter} does for messages
 * of the log.
 * <p>
 * Thread: any that logs.
 */
public final class CleanThrowableConverter extends ExtendedWhitespaceThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
        return super.throwableProxyToString(new Clean(thrown));
    }

    private record Clean(IThrowableProxy thrown) implements IThrowableProxy {
        private static IThrowableProxy of(IThrowableProxy thrown) {
            return thrown == null ? null : new Clean(thrown);
        }

        @Override
        public String getMessage() {
            return Printable.text(thrown.getMessage());
        }

        @Override
        public String getClassName() {
            return thrown.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return thrown.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return thrown.getCommonFrames();
        }

        @Override
        public IThrowableProxy getCause() {
            return of(thrown.getCause());
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            IThrowableProxy[] suppressed = thrown.getSuppressed();
            IThrowableProxy[] clean = new IThrowableProxy[suppressed == null ? 0 : suppressed.length];
            for (int i = 0; i < clean.length; i++) {
                clean[i] = of(suppressed[i]);
            }
            return clean;
        }

        @Override
        public boolean isCyclic() {
            return thrown.isCyclic();
        }
    }
}
