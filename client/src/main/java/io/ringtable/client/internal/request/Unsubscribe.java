package io.ringtable.client.internal.request;

import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.connection.AmqpConnection;
import io.ringtable.client.internal.connection.ClientLink;
import io.ringtable.client.internal.connection.LinkHost;
import io.ringtable.client.internal.connection.LinkNames;
import io.ringtable.client.internal.connection.Termini;
import io.ringtable.client.internal.error.Errors;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Deletes a durable subscription as JMS clients do: looks it up by a receiver without a source, then closes the
 * receiver for good. Thread: the I/O thread.
 */
public final class Unsubscribe implements ClientLink {

    private final LinkHost host;
    private final String name;
    private final boolean shared;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private Receiver receiver;
    private boolean found;

    public Unsubscribe(LinkHost host, String name, boolean shared) {
        this.host = host;
        this.name = name;
        this.shared = shared;
    }

    public CompletableFuture<Void> done() {
        return done;
    }

    @Override
    public void attach(AmqpConnection connection) {
        Session session = connection.session();
        Receiver created = session.receiver(LinkNames.lookingUp(name, shared));
        receiver = created;
        found = false;
        receiver.setTarget(new Target().setAddress(name));
        if (shared) {
            receiver.setDesiredCapabilities(Termini.sharedByAll());
        }
        receiver.openHandler(this::remotelyOpened);
        receiver.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        receiver.detachHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.closeHandler(remote -> ended(created, remote.getRemoteCondition()));
        session.open();
        receiver.open();
    }

    private void remotelyOpened(Receiver remote) {
        if (remote.getRemoteSource() != null) {
            found = true;
            remote.close();
        }
    }

    private void ended(Receiver old, ErrorCondition condition) {
        if (receiver != old) {
            return;
        }
        receiver = null;
        old.close();
        old.getSession().close();
        host.remove(this);
        if (found && (condition == null || condition.getCondition() == null)) {
            done.complete(null);
        } else {
            done.completeExceptionally(Errors.refused("unsubscribe '" + name + "'", condition));
        }
    }

    @Override
    public void connectionLost() {
        receiver = null;
    }

    @Override
    public void writable() {
        // Nothing that it sends could wait.
    }

    @Override
    public void fail(RingtableException cause) {
        host.remove(this);
        done.completeExceptionally(cause);
    }
}
