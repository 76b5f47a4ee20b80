package io.ringtable.broker.management;

/**
 * Answers a request.
 *
 * @param status as in HTTP
 * @param body what {@link ManagementJson} writes; null if there is none
 */
public record ManagementAnswer(int status, Object body) {
    public static final int OK = 200;
    public static final int CREATED = 201;
    public static final int ACCEPTED = 202;
    public static final int NO_CONTENT = 204;

    private static final int FIRST_ERROR = 400;

    /** Answers with what was asked for; without a body if that is null. */
    public static ManagementAnswer of(Object body) {
        return body == null ? done() : new ManagementAnswer(OK, body);
    }

    /** Says that what was asked is done, and there is nothing to say about it. */
    public static ManagementAnswer done() {
        return new ManagementAnswer(NO_CONTENT, null);
    }

    public static ManagementAnswer created(Object body) {
        return new ManagementAnswer(CREATED, body);
    }

    /** Says that what was asked has begun and goes on. */
    public static ManagementAnswer begun(Object body) {
        return new ManagementAnswer(ACCEPTED, body);
    }

    public boolean isError() {
        return status >= FIRST_ERROR;
    }
}
