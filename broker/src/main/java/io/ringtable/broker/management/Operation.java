package io.ringtable.broker.management;

import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Is one thing that an administrator can ask for: its place in the paths, who may ask, what goes in and comes out.
 * HTTP, the management node and the description in OpenAPI all follow from it.
 * <p>
 * Thread: any; immutable.
 *
 * @param path such as {@code /addresses/{address}}
 * @param tag the group that it belongs to in the description
 * @param summary one sentence for people
 * @param access who may ask
 * @param query parameters that it knows; others are refused
 * @param body type of the request's body; null if it has none
 * @param answer what comes out
 * @param secrets fields of the body that the audit log leaves out
 * @param place says in which shards is what a call is about; null if every node answers for itself
 * @param join makes one answer of those of several nodes; null if there is none that a part could give
 * @param meeting says where shards of two nodes come together for it; null if they do not
 */
public record Operation(
        Method method,
        PathTemplate path,
        String tag,
        String summary,
        Access access,
        List<QueryParameter> query,
        Class<?> body,
        Answer answer,
        Set<String> secrets,
        Place place,
        Join join,
        Meeting meeting,
        Handler handler) {

    /**
     * Says who may ask: those with the role, or with the permission on the address.
     *
     * @param permission null if the role alone counts
     * @param address the variable of the path that is the address's name; null if the handler learns the address and
     *     asks {@link Call#requires} itself
     */
    public record Access(Role role, Permission permission, String address) {}

    /**
     * Says what comes out.
     *
     * @param status when all went well
     * @param type of the body, or of the items of a list; null if there is no body
     */
    public record Answer(int status, Class<?> type, boolean isList) {}

    /** Does what is asked. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Answers at once or later, and does not block.
         *
         * @return the body, or a {@link ManagementAnswer}; null means done
         * @throws ManagementRefused if it is not done, as may the stage
         */
        CompletionStage<?> handle(Call call);
    }

    /** Says in which shards is what a call is about. */
    @FunctionalInterface
    public interface Place {
        /**
         * Returns the numbers of the shards; none if nobody knows where it is, and the handler says so.
         *
         * @throws ManagementRefused if the call names no place that there can be
         */
        Set<Integer> shards(Call call);
    }

    /**
     * Says at which node an operation is done that needs shards of two nodes at one of them. The handler there has the
     * other shard come.
     *
     * @param first the shards whose node is asked first
     * @param otherWay codes of refusals after which the other node is asked
     * @param again codes of refusals after which the call begins anew for a while, as the shards have changed their
     *     nodes
     */
    public record Meeting(Place first, Set<String> otherWay, Set<String> again) {}

    /**
     * Holds what one node has answered for its shards.
     *
     * @param node the other one; null = this one
     * @param shards that it was asked for
     * @param answer of a silent node: what this one knows of its shards; null if that is nothing
     * @param silence why the other node did not answer; null if it did
     */
    public record Share(NodeRequests.Owner node, Set<Integer> shards, ManagementAnswer answer, Problem silence) {
        /** Returns the first refusal of a node that has answered; null if there is none. */
        public static ManagementAnswer refusalIn(List<Share> shares) {
            return shares.stream()
                    .filter(share -> share.silence == null && share.answer.isError())
                    .map(Share::answer)
                    .findFirst()
                    .orElse(null);
        }

        /** Returns the nodes that did not answer, each with the reason; none if all did. */
        public static List<String> silentIn(List<Share> shares) {
            return shares.stream()
                    .filter(share -> share.silence != null)
                    .map(share -> share.node + " (" + share.silence + ")")
                    .toList();
        }

        /** Returns the body of the answer; a missing node if it has none. */
        public JsonNode body() {
            return answer == null || answer.isError() || answer.body() == null
                    ? MissingNode.getInstance()
                    : ManagementJson.MAPPER.<JsonNode>valueToTree(answer.body());
        }
    }

    /** Makes one answer of what several nodes have answered, each for its shards. */
    @FunctionalInterface
    public interface Join {
        /** @param shares this node's first, if it has some of the shards @return as a {@link Handler} does */
        CompletionStage<?> join(Call call, List<Share> shares);
    }

    public Operation {
        query = List.copyOf(query);
        secrets = Set.copyOf(secrets);
        Objects.requireNonNull(handler, "handler");
    }

    public static Builder get(String path, String summary) {
        return new Builder(Method.GET, path, summary);
    }

    public static Builder put(String path, String summary) {
        return new Builder(Method.PUT, path, summary);
    }

    public static Builder post(String path, String summary) {
        return new Builder(Method.POST, path, summary);
    }

    public static Builder delete(String path, String summary) {
        return new Builder(Method.DELETE, path, summary);
    }

    @Override
    public String toString() {
        return method + " " + path.text();
    }

    /** Puts an operation together; the handler comes last. Thread: one. */
    public static final class Builder {
        private final Method method;
        private final PathTemplate path;
        private final String summary;
        private final List<QueryParameter> query = new ArrayList<>();
        private Access access = new Access(Role.ADMINISTRATOR, null, null);
        private Class<?> body;
        private Answer answer = new Answer(ManagementAnswer.NO_CONTENT, null, false);
        private Set<String> secrets = Set.of();
        private Place place;
        private Join join;
        private Meeting meeting;

        private Builder(Method method, String path, String summary) {
            this.method = method;
            this.path = new PathTemplate(path);
            this.summary = summary;
        }

        /** Lets those with the role ask; without this call, administrators alone. */
        public Builder needs(Role role) {
            access = new Access(role, null, null);
            return this;
        }

        /** Lets those with the role ask, and those with the permission on the address that the path names. */
        public Builder needs(Role role, Permission permission, String address) {
            if (!path.variables().contains(address)) {
                throw new IllegalArgumentException(path.text() + " has no {" + address + "}");
            }
            access = new Access(role, permission, address);
            return this;
        }

        /** Lets those with the role ask, and those with the permission on an address that the handler asks about. */
        public Builder needs(Role role, Permission permission) {
            access = new Access(role, permission, null);
            return this;
        }

        public Builder query(String name, QueryParameter.Type type, String description) {
            query.add(new QueryParameter(name, type, description));
            return this;
        }

        public Builder takes(Class<?> type) {
            body = type;
            return this;
        }

        /** Leaves fields of the body out of the audit log. */
        public Builder hides(String... fields) {
            secrets = Set.of(fields);
            return this;
        }

        /** Has the node asked that serves the shards; refused if these are of several nodes. */
        public Builder at(Place itsPlace) {
            place = itsPlace;
            return this;
        }

        /** Has all nodes asked that serve the shards, each for its own. */
        public Builder at(Place itsPlace, Join itsJoin) {
            join = itsJoin;
            return at(itsPlace);
        }

        /** Has one node asked that serves any of the shards, whoever serves the others. */
        public Builder at(Place itsPlace, Meeting itsMeeting) {
            meeting = itsMeeting;
            return at(itsPlace);
        }

        public Builder answers(Class<?> type) {
            answer = new Answer(ManagementAnswer.OK, type, false);
            return this;
        }

        /** Answers with a status of its own. */
        public Builder answers(int status, Class<?> type) {
            answer = new Answer(status, type, false);
            return this;
        }

        /** Answers with a {@link Listing}, in pages. */
        public Builder lists(Class<?> item) {
            answer = new Answer(ManagementAnswer.OK, item, true);
            query.add(new QueryParameter(
                    Call.LIMIT, QueryParameter.Type.NUMBER, "Most items, 1 to 1000; 100 unless said otherwise."));
            query.add(new QueryParameter(
                    Call.AFTER, QueryParameter.Type.TEXT, "Cursor of the page before, as its field next has it."));
            return this;
        }

        /** Answers at once, on the caller's thread. */
        public Operation does(Function<Call, ?> handler) {
            return asks(call -> CompletableFuture.completedFuture(handler.apply(call)));
        }

        /** Answers later. */
        public Operation asks(Handler handler) {
            String tag = path.segments().get(0);
            return new Operation(
                    method, path, tag, summary, access, query, body, answer, secrets, place, join, meeting, handler);
        }
    }
}
