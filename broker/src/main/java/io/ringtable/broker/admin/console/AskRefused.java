package io.ringtable.broker.admin.console;

import io.ringtable.broker.management.Problem;

/** Ends the making of a page, since an operation that it needs is refused. Thread: that of the request. */
final class AskRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient Problem problem;

    /** @param status as in HTTP, 400 to 599 */
    AskRefused(int status, Problem problem) {
        super(problem.toString(), null, false, false);
        this.status = status;
        this.problem = problem;
    }

    int status() {
        return status;
    }

    Problem problem() {
        return problem;
    }
}
