package io.ringtable.broker.management;

import io.ringtable.broker.message.Printable;

/** Tells a caller why an operation is not done. */
public final class ManagementRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    /**
     * @param status as in HTTP, 400 to 599
     * @param text what failed, the values, the cure; does not repeat the code
     */
    public ManagementRefused(int status, String code, String text) {
        super(Printable.text(text), null, false, false);
        this.status = status;
        this.code = code;
    }

    /** Refuses bad input. */
    public static ManagementRefused badRequest(String code, String text) {
        return new ManagementRefused(400, code, text);
    }

    public static ManagementRefused notFound(String code, String text) {
        return new ManagementRefused(404, code, text);
    }

    ManagementAnswer answer() {
        return new ManagementAnswer(status, new Problem(code, getMessage()));
    }
}
