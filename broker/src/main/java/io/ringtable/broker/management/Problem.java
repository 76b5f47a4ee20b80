package io.ringtable.broker.management;

/**
 * Is the body of an answer that reports an error.
 *
 * @param code stable, {@code RT-nnnn}
 * @param message what failed, the values, the cure
 */
public record Problem(String code, String message) {
    @Override
    public String toString() {
        return code + " " + message;
    }
}
