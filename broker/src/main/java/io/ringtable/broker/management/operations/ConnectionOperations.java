package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.Page;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import io.ringtable.broker.status.TransactionStatus;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lists and ends connections, links and transactions of clients. A list also has {@code silent}, the event loops that
 * did not answer in time, if there are some.
 * <p>
 * Thread: any.
 */
public final class ConnectionOperations {
    private final Supplier<ManagedConnections> open;

    /** @param open refuses the call while this node serves no clients */
    public ConnectionOperations(Supplier<ManagedConnections> open) {
        this.open = open;
    }

    public List<Operation> operations() {
        return List.of(
                Operation.get("/connections", "Lists connections in the order in which they came.")
                        .needs(Role.VIEWER)
                        .query("filter", Type.TEXT, "Text in the id, the user, the container id or the address.")
                        .lists(ConnectionStatus.class)
                        .asks(this::connections),
                Operation.get("/connections/{id}", "Shows a connection.")
                        .needs(Role.VIEWER)
                        .answers(ConnectionStatus.class)
                        .asks(call -> open.get().connection(call.path("id"))),
                Operation.delete("/connections/{id}", "Closes a connection; its client may connect again.")
                        .needs(Role.OPERATOR)
                        .asks(call -> open.get().close(call.path("id"), by(call.caller()))),
                Operation.get("/links", "Lists links, by their connections, with what each of them waits for.")
                        .needs(Role.VIEWER)
                        .query("connection", Type.TEXT, "Id of the connection; all unless given.")
                        .query("address", Type.TEXT, "Name of the address; all unless given.")
                        .lists(LinkStatus.class)
                        .asks(this::links),
                Operation.delete("/links/{id}", "Detaches a link. A durable subscription stays.")
                        .needs(Role.OPERATOR)
                        .asks(call -> open.get().detach(call.path("id"), by(call.caller()))),
                Operation.get("/transactions", "Lists open transactions, the oldest first.")
                        .needs(Role.VIEWER)
                        .query("connection", Type.TEXT, "Id of the connection; all unless given.")
                        .lists(TransactionStatus.class)
                        .asks(this::transactions),
                Operation.delete("/transactions/{id}", "Rolls a transaction back; its client hears so when it commits.")
                        .needs(Role.OPERATOR)
                        .asks(call -> open.get().rollBack(call.path("id"), by(call.caller()))));
    }

    private CompletionStage<?> connections(Call call) {
        Page page = call.page();
        return open.get().connections(page.limit(), page.after(), call.text("filter"));
    }

    private CompletionStage<?> links(Call call) {
        Page page = call.page();
        return open.get().links(page.limit(), page.after(), call.text("connection"), call.text("address"));
    }

    private CompletionStage<?> transactions(Call call) {
        Page page = call.page();
        return open.get().transactions(page.limit(), page.after(), call.text("connection"));
    }

    /** Names the caller for the client whose connection, link or transaction ends; the audit log says from where. */
    private static String by(Caller caller) {
        return "user '" + Printable.value(caller.user()) + "' over " + caller.way();
    }
}
