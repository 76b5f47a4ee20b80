package io.ringtable.client.internal.request;

import io.ringtable.client.Address;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.connection.AmqpConnection;
import io.ringtable.client.internal.connection.ClientLink;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.Termini;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.RingtableSymbols;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Deletes a stored address: attaches a sender with a property for it, then closes the sender for good. A broker that
 * does not answer with the same property takes the sender for a publisher, and deletes nothing.
 * <p>
 * Thread: the I/O thread.
 */
public final class DeleteAddress implements ClientLink {
    private final LinkHost host;
    private final Address address;
    private final String mode;
    private final String linkName = "delete-" + UUID.randomUUID();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private Sender sender;
    private boolean found;

    public DeleteAddress(LinkHost host, Address address, boolean evenIfUsed) {
        this.host = host;
        this.address = address;
        this.mode = evenIfUsed ? RingtableSymbols.DELETE_ALWAYS : RingtableSymbols.DELETE_IF_UNUSED;
    }

    public CompletableFuture<Void> done() {
        return done;
    }

    @Override
    public void attach(AmqpConnection connection) {
        Session session = connection.session();
        Sender created = session.sender(linkName);
        sender = created;
        found = false;
        sender.setSource(new Source().setAddress(linkName));
        sender.setTarget(Termini.target(address));
        sender.setProperties(Map.of(RingtableSymbols.DELETE, mode));
        sender.openHandler(this::remotelyOpened);
        sender.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        sender.detachHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.open();
        sender.open();
    }

    private void remotelyOpened(Sender remote) {
        if (remote.getRemoteTarget() == null) {
            return; // refused; the detach that follows says why
        }
        Map<Symbol, Object> answer = remote.getRemoteProperties();
        if (answer == null || !mode.equals(answer.get(RingtableSymbols.DELETE))) {
            done.completeExceptionally(Errors.noDeletion(address));
        }
        found = true;
        remote.close();
    }

    private void ended(Sender old, ErrorCondition condition) {
        if (sender != old) {
            return;
        }
        sender = null;
        old.close();
        old.getSession().close();
        host.remove(this);
        if (found && (condition == null || condition.getCondition() == null)) {
            done.complete(null);
        } else {
            done.completeExceptionally(Errors.refused("delete " + address, condition));
        }
    }

    @Override
    public void connectionLost() {
        sender = null;
    }

    @Override
    public void writable() {
        // This link sends nothing that could wait.
    }

    @Override
    public void fail(RingtableException cause) {
        host.remove(this);
        done.completeExceptionally(cause);
    }
}
