package io.ringtable.broker.config;

/**
 * Reports a configuration that the broker does not start with. The message is complete for the operator: it names
 * the mistake, the values and the cure. The broker has opened and changed nothing.
 */
public final class ConfigurationRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param code stable, {@code RT-1nnn}; begins the message
     * @param text what failed, the values, the cure
     */
    public ConfigurationRefused(String code, String text) {
        super(code + " " + text);
    }

    /** @param lines one per mistake, each with its code */
    ConfigurationRefused(String lines, Throwable cause) {
        super(lines, cause);
    }
}
