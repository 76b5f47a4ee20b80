package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.LoginRow;
import io.ringtable.broker.store.StoreFailure;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives ids to the logins of publishers. The row of a login is durable before a flush has its first message.
 * <p>
 * Thread: committer, between flushes. Failure: a login whose row the store does not take is unknown to the messages
 * that came with it, and publishing goes on.
 */
public final class LoginChanges {
    private static final Logger LOG = LoggerFactory.getLogger(LoginChanges.class);

    private final LoginIds logins;
    private final CatalogWriter writer;
    private boolean saidSo; // that logins are left out

    public LoginChanges(LoginIds logins, CatalogWriter writer) {
        this.logins = logins;
        this.writer = writer;
    }

    /** Returns the id that a stored message has of the login. */
    public int idOf(PublisherLogin login) {
        int id = logins.idOf(login);
        return id != PublisherLogin.NOBODY_ID || login.kind() == PublisherLogin.Kind.NOBODY ? id : create(login);
    }

    private int create(PublisherLogin login) {
        if (logins.isFull()) {
            leaveOut(login, "the shard has " + LoginIds.LOGINS_MAX + " logins, which is the most");
            return PublisherLogin.UNKNOWN_ID;
        }
        // Not the publisher's object, which holds what its link remembers.
        PublisherLogin kept = PublisherLogin.stored(login.kind(), login.name());
        LoginRow row = new LoginRow(logins.nextId(), kept);
        try {
            writer.write(
                    List.of(new CatalogChange.CreateLogin(row)),
                    0,
                    tables -> tables.logins().contains(row));
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.REFUSED) {
                leaveOut(login, "the store refuses its row: " + failure.getMessage());
            }
            return PublisherLogin.UNKNOWN_ID; // the store takes no writes, and hardly the message
        }
        logins.add(kept, row.loginId());
        return logins.idOf(login);
    }

    private void leaveOut(PublisherLogin login, String why) {
        logins.leaveOut(login);
        if (!saidSo) {
            saidSo = true;
            LOG.warn(
                    "RT-4500 {} is not kept, and its messages say 'unknown' instead: {}. Nothing else is affected, and"
                            + " other logins are not logged",
                    login,
                    why);
        }
    }
}
