package io.ringtable.broker.management;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Rights;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.message.Printable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Gives the handler of an operation what was asked, checked as far as the operation's description says.
 * <p>
 * Thread: any. Failure: what is missing, unknown or malformed is refused with its name and value.
 */
public final class Call {
    public static final String FILTER = "filter";

    static final String LIMIT = "limit";
    static final String AFTER = "after";

    private final Operation operation;
    private final ManagementRequest request;
    private final Map<String, String> path;
    private final Role role;
    private final Rights rights;
    private final NodeCalls nodes;
    private final IntPredicate covered;

    /**
     * @param path values of the path's variables
     * @param role of the caller
     * @param rights of the caller on addresses
     * @param nodes passes calls on; null where there are no other nodes
     */
    Call(
            Operation operation,
            ManagementRequest request,
            Map<String, String> path,
            Role role,
            Rights rights,
            NodeCalls nodes) {
        this(operation, request, path, role, rights, nodes, null);
    }

    private Call(
            Operation operation,
            ManagementRequest request,
            Map<String, String> path,
            Role role,
            Rights rights,
            NodeCalls nodes,
            IntPredicate covered) {
        this.operation = operation;
        this.request = request;
        this.path = path;
        this.role = role;
        this.rights = rights;
        this.nodes = nodes;
        this.covered = covered;
    }

    ManagementRequest request() {
        return request;
    }

    // ---- shards

    /** Returns the same call about some of the shards. */
    Call covering(IntPredicate shards) {
        return new Call(operation, request, path, role, rights, nodes, shards);
    }

    /** Tells whether the call is about all shards, as far as this node knows of them. */
    public boolean coversAll() {
        return covered == null;
    }

    /** Tells whether the call is about what is in the shard: else other nodes are asked for that. */
    public boolean covers(int shard) {
        return covered == null || covered.test(shard);
    }

    /** Tells whether the call is to be passed on to another node, which serves the shard. */
    public boolean isElsewhere(int shard) {
        return nodes != null && nodes.isElsewhere(this, shard);
    }

    /**
     * Has the node that serves the shard do what is asked; {@link #isElsewhere} must have said yes.
     *
     * @param body in place of that of the request; null if it has none
     */
    public CompletionStage<ManagementAnswer> passOn(int shard, JsonNode body) {
        return nodes.passOn(this, shard, body);
    }

    /** Asks a node for another operation, as the same caller. @param node null = this one */
    public CompletionStage<ManagementAnswer> ask(NodeRequests.Owner node, Method method, String anotherPath) {
        return nodes.ask(node, new ManagementRequest(method.name(), anotherPath, Map.of(), null, caller()));
    }

    /** Returns the body of the request as it came; null if it has none. */
    public JsonNode rawBody() {
        return request.body();
    }

    public Caller caller() {
        return request.caller();
    }

    /** Returns the role of the caller. */
    public Role role() {
        return role;
    }

    /** Returns the value of a variable of the path, decoded. */
    public String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalArgumentException(operation + " has no {" + name + "}");
        }
        return value;
    }

    /** Returns the value of a variable of the path that is a number, 0 or above. */
    public long pathNumber(String name) {
        return number(name, path(name), 0, Long.MAX_VALUE);
    }

    /** Returns the value of a variable of the path that is an id; those of what lives in memory are negative. */
    public long pathId(String name) {
        return number(name, path(name), Long.MIN_VALUE, Long.MAX_VALUE);
    }

    // ---- parameters

    /** Returns a parameter; null if it is absent or empty. */
    public String text(String name) {
        String value = request.query().get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    public boolean flag(String name) {
        String value = request.query().get(name);
        if (value == null || value.equals("false")) {
            return false;
        }
        if (value.isEmpty() || value.equals("true")) {
            return true;
        }
        throw bad(name, value, "write true or false");
    }

    /** Returns a parameter that is a number. @param otherwise if it is absent */
    public long number(String name, long otherwise, long min, long max) {
        String value = text(name);
        return value == null ? otherwise : number(name, value, min, max);
    }

    private static long number(String name, String value, long min, long max) {
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw bad(name, value, "write a number from " + min + " to " + max);
        }
        throw bad(name, value, "write a number from " + min + " to " + max);
    }

    /** Returns a parameter that is a time; null if it is absent. */
    public Instant time(String name) {
        String value = text(name);
        try {
            Instant time = value == null ? null : Instant.parse(value);
            if (time != null) {
                time.toEpochMilli(); // of a time that has none, nothing is stored
            }
            return time;
        } catch (DateTimeException | ArithmeticException e) {
            throw bad(name, value, "write a time in UTC, such as 2026-01-31T12:00:00Z");
        }
    }

    /** Tells which names contain the parameter {@code filter}, whatever the case; all do if it is absent. */
    public Predicate<String> filter() {
        String text = text(FILTER);
        if (text == null) {
            return name -> true;
        }
        String wanted = text.toLowerCase(Locale.ROOT);
        return name -> name.toLowerCase(Locale.ROOT).contains(wanted);
    }

    /** Returns which part of a list is wanted. */
    public Page page() {
        return new Page((int) number(LIMIT, Page.LIMIT_USUAL, 1, Page.LIMIT_MAX), text(AFTER));
    }

    private static ManagementRefused bad(String name, String value, String cure) {
        return ManagementRefused.badRequest("RT-7702", name + "='" + Printable.value(value) + "': " + cure);
    }

    /** Refuses parameters that the operation does not know: a filter that is misspelt would find too much. */
    void checkQuery() {
        TreeSet<String> known = new TreeSet<>();
        operation.query().forEach(parameter -> known.add(parameter.name()));
        for (String name : request.query().keySet()) {
            if (!known.contains(name)) {
                throw ManagementRefused.badRequest(
                        "RT-7703",
                        operation + " has no parameter '" + Printable.value(name) + "'; it has "
                                + (known.isEmpty() ? "none" : String.join(", ", known)));
            }
        }
    }

    // ---- body

    /** Returns the body of the request, which must be there. */
    public <T> T body(Class<T> type) {
        if (request.body() == null) {
            throw ManagementRefused.badRequest("RT-7704", operation + " needs a body in JSON");
        }
        try {
            return ManagementJson.MAPPER.treeToValue(request.body(), type);
        } catch (JacksonException e) {
            throw ManagementRefused.badRequest(
                    "RT-7705", "the body of " + operation + " cannot be read: " + ManagementJson.reason(e));
        }
    }

    // ---- rights

    /** Returns the role that lets everybody who has it ask. */
    public Role needed() {
        return operation.access().role();
    }

    /** Tells whether the caller has the role of the operation, or the permission on the address. */
    public boolean permits(Permission permission, String address) {
        return role.includes(needed()) || rights.permits(permission, address);
    }

    /** Refuses the call unless {@link #permits} says yes. */
    public void requires(Permission permission, String address) {
        if (!permits(permission, address)) {
            throw refused(
                    "; the permission '" + permission + "' on '" + Printable.value(address) + "' would do as well");
        }
    }

    /** Refuses the call unless the operation's description lets the caller ask. */
    void checkAccess() {
        Operation.Access access = operation.access();
        if (access.permission() == null && !role.includes(access.role())) {
            throw refused("");
        }
        if (access.permission() != null && access.address() != null) {
            requires(access.permission(), path(access.address()));
        }
    }

    private ManagementRefused refused(String alternative) {
        return new ManagementRefused(
                403,
                "RT-7706",
                "user '" + Printable.value(caller().user()) + "' may not " + operation + ": it needs the role "
                        + operation.access().role() + " (ringtable.security.roles) and has "
                        + (role == Role.NONE ? "none" : "the role " + role) + alternative);
    }
}
