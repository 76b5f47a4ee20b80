package io.ringtable.broker.amqp.relay;

import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Has the node of a durable subscription delete it, for a client that makes another one of its name elsewhere. The
 * request is an attach in a session of its own, which that node answers with a detach once it is done.
 * <p>
 * Thread: the relay's event loop. Failure: is the answer. The node may have deleted the subscription nevertheless.
 */
final class RelayedRemoval implements Relay.User {
    private final Relay relay;
    private final CarriedClient client;
    private final Symbol[] capabilities; // of the client's source: they belong to the name
    private final boolean shared;
    private final CompletableFuture<ErrorCondition> answer = new CompletableFuture<>();
    private Session session; // null before the relay is open

    /** @param shared whether the other one is shared */
    RelayedRemoval(Relay relay, CarriedClient client, Symbol[] capabilities, boolean shared) {
        this.relay = relay;
        this.client = client;
        this.capabilities = capabilities;
        this.shared = shared;
    }

    /** Asks. @return why it is not deleted, or null once it is */
    CompletionStage<ErrorCondition> begin() {
        relay.use(this);
        relay.whenOpen(() -> relay.post(this::attach), this::end);
        return answer;
    }

    private void attach() {
        if (answer.isDone()) {
            return;
        }
        if (!relay.isRunning()) {
            end(Relay.endedUnasked());
            return;
        }
        session = relay.begin(this, () -> {});
        Receiver receiver = session.receiver(CarriedClient.prefix(client.connection()) + client.link());
        receiver.setTarget(new Target());
        receiver.setDesiredCapabilities(capabilities);
        receiver.setProperties(
                Map.<Symbol, Object>of(RingtableSymbols.CLIENT, client.said(), RingtableSymbols.MAKES_WAY, shared));
        receiver.openHandler(opened -> {});
        receiver.closeHandler(closed -> onDetach(receiver));
        receiver.detachHandler(detached -> onDetach(receiver));
        receiver.open();
    }

    private void onDetach(Receiver receiver) {
        relay.post(() -> end(receiver.getRemoteCondition()));
    }

    private void end(ErrorCondition why) {
        if (answer.complete(why)) {
            relay.left(this);
            if (session != null && relay.isRunning() && session.isLocallyOpen()) {
                session.close();
            }
        }
    }

    @Override
    public void relayWritable() {
        // Nothing waits for it.
    }

    @Override
    public void lost(Relay its, ErrorCondition why) {
        end(why);
    }

    @Override
    public void stopped() {
        end(Relay.endedUnasked());
    }
}
