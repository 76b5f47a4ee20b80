package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.OpenApi;
import io.ringtable.broker.management.Operation;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Tells a caller who it is, and what it can ask for. Thread: any. */
public final class BrokerOperations {
    private final Supplier<List<Operation>> all;
    private final String version;

    /** @param all every operation, these included */
    public BrokerOperations(Supplier<List<Operation>> all, String version) {
        this.all = all;
        this.version = version;
    }

    /**
     * Shows who asks.
     *
     * @param user empty where nobody logs in
     */
    public record CallerView(String user, List<String> groups, Role role) {}

    public List<Operation> operations() {
        return List.of(
                Operation.get("/whoami", "Tells who asks, and with which role.")
                        .needs(Role.NONE)
                        .answers(CallerView.class)
                        .does(BrokerOperations::whoAmI),
                Operation.get("/openapi.json", "Describes all operations as OpenAPI does.")
                        .needs(Role.NONE)
                        .answers(JsonNode.class)
                        .does(call -> OpenApi.describe(all.get(), version)));
    }

    private static CallerView whoAmI(Call call) {
        return new CallerView(
                call.caller().identity().name(),
                List.copyOf(new TreeSet<>(call.caller().identity().groups())),
                call.role());
    }
}
