package io.ringtable.broker.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.Rights;
import io.ringtable.broker.access.Role;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Pages of several nodes become one. */
class NodeListingTest {
    private static final NodeRequests.Owner OTHER = new NodeRequests.Owner("b", "host b", "amqp://b");
    private static final Operation LIST =
            Operation.get("/things", "Lists things.").lists(String.class).does(call -> null);

    private static Operation.Share share(String json) {
        return new Operation.Share(OTHER, Set.of(1), ManagementAnswer.of(ManagementJson.MAPPER.readTree(json)), null);
    }

    private static Listing<?> joined(Operation.Join join, int limit, Operation.Share... shares) {
        ManagementRequest request = new ManagementRequest(
                "GET",
                "/things",
                Map.of("limit", String.valueOf(limit)),
                null,
                new Caller(Identity.ANONYMOUS, "http", "192.0.2.7"));
        Call call = new Call(LIST, request, Map.of(), Role.VIEWER, Rights.NOTHING, null);
        return (Listing<?>)
                join.join(call, List.of(shares)).toCompletableFuture().join();
    }

    private static String keys(Listing<?> listing, String field) {
        StringBuilder keys = new StringBuilder();
        listing.items()
                .forEach(item ->
                        keys.append(((JsonNode) item).path(field).asString()).append(' '));
        return keys + "then " + listing.next();
    }

    @Test
    void itemsAreInOrderAndTheLastNameIsTheCursor() {
        Listing<?> page = joined(
                NodeListing.byName((one, other) -> one),
                3,
                share("{\"items\":[{\"name\":\"a\"},{\"name\":\"d\"}]}"),
                share("{\"items\":[{\"name\":\"b\"},{\"name\":\"c\"}]}"));
        assertThat(keys(page, "name")).isEqualTo("a b c then c");
        assertThat(page.silent()).isNull();
    }

    @Test
    void nothingIsShownBehindThePageOfANodeThatHasMore() {
        Listing<?> page = joined(
                NodeListing.byName((one, other) -> one),
                10,
                share("{\"items\":[{\"name\":\"a\"},{\"name\":\"x\"}]}"),
                share("{\"items\":[{\"name\":\"b\"},{\"name\":\"c\"}],\"next\":\"c\"}"));
        assertThat(keys(page, "name")).isEqualTo("a b c then c");
    }

    @Test
    void theEndHasNoCursor() {
        Listing<?> page = joined(
                NodeListing.byName((one, other) -> one),
                2,
                share("{\"items\":[{\"name\":\"a\"}]}"),
                share("{\"items\":[{\"name\":\"b\"}]}"));
        assertThat(keys(page, "name")).isEqualTo("a b then null");
    }

    @Test
    void idsOfWhatLivesInMemoryFallAndPagesMayBeEmpty() {
        Listing<?> page = joined(
                NodeListing.byId(),
                10,
                share("{\"items\":[{\"id\":-3},{\"id\":-9}]}"),
                share("{\"items\":[],\"next\":\"5\"}"));
        assertThat(keys(page, "id")).isEqualTo("-3 then 0000000000000000005");
    }

    @Test
    void whatTwoNodesSayOfOneNameIsJoined() {
        Listing<?> page = joined(
                NodeListing.byName((one, other) -> other),
                10,
                share("{\"items\":[{\"name\":\"a\",\"of\":1}]}"),
                share("{\"items\":[{\"name\":\"a\",\"of\":2}]}"));
        assertThat(page.items()).hasSize(1);
        assertThat(page.items().get(0)).hasToString("{\"name\":\"a\",\"of\":2}");
    }

    @Test
    void aNodeThatDoesNotAnswerIsNamedAndARefusalIsTheAnswer() {
        Problem problem = new Problem("RT-4617", "no way");
        Listing<?> page = joined(
                NodeListing.byName((one, other) -> one),
                10,
                share("{\"items\":[{\"name\":\"a\"}]}"),
                new Operation.Share(OTHER, Set.of(1), null, problem));
        assertThat(keys(page, "name")).isEqualTo("a then null");
        assertThat(page.silent()).containsExactly("node 'host b' at amqp://b (RT-4617 no way)");

        ManagementAnswer refusal = new ManagementAnswer(400, new Problem("RT-7702", "what?"));
        Call none = null;
        assertThat(NodeListing.byId()
                        .join(none, List.of(new Operation.Share(OTHER, Set.of(1), refusal, null)))
                        .toCompletableFuture()
                        .join())
                .isEqualTo(refusal);
    }
}
