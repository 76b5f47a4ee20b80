package io.ringtable.broker.management;

import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.Rights;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the operation that a request means, checks that the caller may ask for it, and has it done. Every change leaves
 * a line in the audit log, whatever came of it.
 * <p>
 * Thread: any. Handlers run on the caller's thread as far as they answer at once. A thread of the shard may complete a
 * handler's stage, and must not wait for the log. So the log has a thread of its own, {@code audit}; a change is
 * answered after its line. Failure: every failure is an answer.
 */
public final class Management {
    private static final Logger LOG = LoggerFactory.getLogger(Management.class);
    private static final int IDLE_SECONDS = 10;

    private final List<Operation> operations; // those with fewer variables first
    private final AccessControl access;
    private final NodeCalls nodes; // null where there are no other nodes
    private final ThreadPoolExecutor audit = new ThreadPoolExecutor(
            1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Management::auditThread);

    /** @throws IllegalArgumentException if two operations have one method and one path */
    public Management(List<Operation> operations, AccessControl access) {
        this(operations, access, null);
    }

    /**
     * Makes one that asks other nodes for what they serve.
     *
     * @param others null where there are none
     * @throws IllegalArgumentException if two operations have one method and one path
     */
    public Management(List<Operation> operations, AccessControl access, NodeRequests others) {
        this.nodes = others == null ? null : new NodeCalls(others, this::handle, this::problem);
        this.operations = operations.stream()
                .sorted(Comparator.comparingInt(operation -> operation.path().variableCount()))
                .toList();
        this.access = access;
        this.audit.allowCoreThreadTimeOut(true); // so that nobody must end it
        Set<String> seen = new HashSet<>();
        for (Operation operation : operations) {
            if (!seen.add(operation.toString().replaceAll("\\{[^}]*}", "{}"))) {
                throw new IllegalArgumentException(operation + " occurs twice");
            }
        }
    }

    private static Thread auditThread(Runnable task) {
        Thread thread = new Thread(task, "audit");
        thread.setDaemon(true);
        return thread;
    }

    public List<Operation> operations() {
        return operations;
    }

    /** Returns the role of a user by the roles that count now. */
    public Role roleOf(Identity who) {
        return access.role(who);
    }

    /**
     * Tells whether a user may ask for an operation, so that nobody is offered what would be refused.
     *
     * @param operation such as {@code DELETE /addresses/{address}}; the answer is no if there is none
     * @param address that the operation would be about; null if about none, or not known yet
     */
    public boolean permits(Identity who, String operation, String address) {
        return operations.stream()
                .filter(known -> known.toString().equals(operation))
                .anyMatch(known -> access.role(who).includes(known.access().role())
                        || address != null
                                && known.access().permission() != null
                                && rightsOf(who).permits(known.access().permission(), address));
    }

    /** Returns nothing where there are no rules: every user may then publish and consume, and administers by role. */
    private Rights rightsOf(Identity who) {
        AccessRules rules = access.rules();
        return rules.isEmpty() ? Rights.NOTHING : rules.of(who);
    }

    /** Does what is asked. The stage never fails. */
    public CompletionStage<ManagementAnswer> handle(ManagementRequest request) {
        Operation[] found = {null};
        CompletionStage<ManagementAnswer> answer;
        try {
            answer = answer(request, found);
        } catch (RuntimeException failure) {
            answer = CompletableFuture.failedFuture(failure);
        }
        CompletionStage<ManagementAnswer> known = answer.exceptionallyCompose(failure -> problem(request, failure));
        return changes(request, found[0])
                ? known.thenApplyAsync(given -> audited(request, found[0], given), audit)
                : known;
    }

    /**
     * Has the audit log tell of a change that somebody makes by another way than an operation.
     *
     * @param what for people; names in it are printable
     * @return ends as the change does, once its line is written
     */
    public <T> CompletionStage<T> audited(Caller caller, String what, CompletionStage<T> change) {
        return change.whenCompleteAsync(
                (done, failure) -> AuditLog.write(caller, access.role(caller.identity()), what, failure), audit);
    }

    /** @param operation null if the request means none */
    private static boolean changes(ManagementRequest request, Operation operation) {
        return operation == null
                ? !request.method().equals(Method.GET.name())
                : operation.method().changes();
    }

    private ManagementAnswer audited(ManagementRequest request, Operation operation, ManagementAnswer answer) {
        AuditLog.write(request, operation, access.role(request.caller().identity()), answer);
        return answer;
    }

    private CompletionStage<ManagementAnswer> answer(ManagementRequest request, Operation[] found) {
        List<String> path = PathTemplate.segmentsOf(request.path());
        List<String> methods = new ArrayList<>(); // of operations with this path
        for (Operation operation : operations) {
            Map<String, String> variables = match(operation, path);
            if (variables != null && operation.method().name().equals(request.method())) {
                found[0] = operation;
                return ask(operation, request, variables);
            }
            if (variables != null) {
                methods.add(operation.method().name());
            }
        }
        String what = Printable.value(request.method()) + " " + Printable.value(request.path());
        throw methods.isEmpty()
                ? ManagementRefused.notFound(
                        "RT-7707", what + " is no operation: GET /openapi.json describes those that there are")
                : new ManagementRefused(
                        405,
                        "RT-7708",
                        what + " is no operation: of this path there are "
                                + methods.stream().sorted().collect(Collectors.joining(", ")));
    }

    private static Map<String, String> match(Operation operation, List<String> path) {
        try {
            return operation.path().match(path);
        } catch (IllegalArgumentException e) {
            throw ManagementRefused.badRequest(
                    "RT-7701", "the path is not percent-encoded as RFC 3986 has it: " + e.getMessage());
        }
    }

    private CompletionStage<ManagementAnswer> ask(
            Operation operation, ManagementRequest request, Map<String, String> variables) {
        Identity who = request.caller().identity();
        Call call = new Call(operation, request, variables, access.role(who), rightsOf(who), nodes);
        call.checkAccess();
        call.checkQuery();
        CompletionStage<?> done = nodes == null ? operation.handler().handle(call) : nodes.handle(operation, call);
        return done.thenApply(given -> answer(operation, given));
    }

    /** Makes an answer of what a handler gives. */
    static ManagementAnswer answer(Operation operation, Object given) {
        if (given instanceof ManagementAnswer answer) {
            return answer;
        }
        return given == null
                ? ManagementAnswer.done()
                : new ManagementAnswer(operation.answer().status(), given);
    }

    // ---- failures

    private CompletionStage<ManagementAnswer> problem(ManagementRequest request, Throwable thrown) {
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (failure instanceof ManagementRefused refused) {
            return CompletableFuture.completedFuture(refused.answer());
        }
        if (failure instanceof Refusal.Refused refused) {
            Refusal refusal = refused.refusal();
            return CompletableFuture.completedFuture(
                    new ManagementAnswer(statusOf(refusal.reason()), new Problem(refusal.code(), refusal.text())));
        }
        return CompletableFuture.supplyAsync(() -> unexpected(request, failure), audit);
    }

    private static ManagementAnswer unexpected(ManagementRequest request, Throwable failure) {
        Problem ours = new Problem("RT-7700", "the broker failed to answer: its log has the reason: " + failure);
        LOG.error("{}: {} {}", ours, Printable.value(request.method()), Printable.value(request.path()), failure);
        return new ManagementAnswer(500, ours);
    }

    private static int statusOf(Refusal.Reason reason) {
        return switch (reason) {
            case INVALID -> 400;
            case NOT_PERMITTED -> 403;
            case NOT_FOUND -> 404;
            case NOT_ALLOWED, IN_USE, OUT_OF_ORDER -> 409;
            case LIMIT -> 422;
            case UNAVAILABLE -> 503;
        };
    }
}
