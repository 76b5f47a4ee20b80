package io.ringtable.testcontainers;

import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Connects an application to a {@link RingtableContainer} with {@code @ServiceConnection}. */
final class RingtableContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<RingtableContainer, RingtableConnectionDetails> {

    @Override
    protected RingtableConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<RingtableContainer> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<RingtableContainer>
            implements RingtableConnectionDetails {
        Details(ContainerConnectionSource<RingtableContainer> source) {
            super(source);
        }

        @Override
        public List<String> getUris() {
            String uri = getContainer().getUri();
            return List.of(getSslBundle() == null ? uri : uri.replaceFirst("^amqp:", "amqps:"));
        }

        /** Returns the bundle of an annotation beside {@code @ServiceConnection}: then the container serves TLS. */
        @Override
        public SslBundle getSslBundle() {
            return super.getSslBundle();
        }

        @Override
        public String getUser() {
            return getContainer().getUser();
        }

        @Override
        public String getPassword() {
            return getContainer().getPassword();
        }
    }
}
