package io.ringtable.client.jdbc;

import io.ringtable.client.Address;
import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import io.ringtable.client.RingtableException.Reason;
import io.ringtable.client.internal.error.Errors;
import java.sql.SQLException;

/** Makes the errors of publishing and acknowledging in a transaction, with their codes; docs/client.md lists them. */
final class InboxErrors {

    private InboxErrors() {}

    static RingtableException noTransaction(String why) {
        return new RingtableException(
                "RT-5025",
                Reason.CONFIGURATION,
                "no transaction to take part in (" + why
                        + "): call it inside @Transactional or a TransactionTemplate on the data source that it was"
                        + " made with",
                null,
                null);
    }

    static RingtableException noInbox(String product) {
        return Errors.configuration(
                "the transaction is on " + product + ", where there is no inbox",
                "publish in the database that the broker stores in, PostgreSQL or SQL Server; or with a Publisher,"
                        + " over AMQP",
                null);
    }

    static RingtableException notPublished(Address address, SQLException cause) {
        return new RingtableException(
                "RT-5026",
                Reason.REJECTED,
                "the database did not take a message for " + address + " (" + cause.getSQLState() + " "
                        + cause.getMessage() + "): roll the transaction back",
                null,
                cause);
    }

    static AlreadyAcknowledgedException alreadyAcknowledged(ReceivedMessage message, SQLException cause) {
        return new AlreadyAcknowledgedException(
                "RT-5027",
                "delivery " + message.deliveryTag() + " of " + message.address()
                        + " was acknowledged before: roll the transaction back, its work has been done",
                message.deliveryTag(),
                cause);
    }

    static RingtableException notAcknowledged(ReceivedMessage message, SQLException cause) {
        return new RingtableException(
                "RT-5028",
                Reason.REJECTED,
                "the database did not acknowledge delivery " + message.deliveryTag() + " of " + message.address() + " ("
                        + cause.getSQLState() + " " + cause.getMessage() + "): roll the transaction back",
                null,
                cause);
    }
}
