package io.ringtable.spring.boot;

import java.util.List;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Says where the broker is and how to log in. Without a bean of this type the properties {@code ringtable.client.*} say
 * so; a bean, as from a container of a test, replaces them.
 * <p>
 * Thread: any; the starter asks when it makes connections, and may ask again for later ones.
 */
public interface RingtableConnectionDetails extends ConnectionDetails {

    /** Returns the brokers to try in turn, {@code amqp://host:port} or {@code amqps://host:port}; at least one. */
    List<String> getUris();

    /** Returns the user to log in as; null = anonymous, unless a URI names one. */
    default String getUser() {
        return null;
    }

    /** Returns the user's password; null = none. */
    default String getPassword() {
        return null;
    }

    /** Returns what {@code amqps://} connections trust and show; null = the JDK's trust store. */
    default SslBundle getSslBundle() {
        return null;
    }
}
