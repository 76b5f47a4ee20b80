package io.ringtable.broker.amqp.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.ringtable.broker.ownership.Lease;
import org.junit.jupiter.api.Test;

/** The leases of the shards whose links one connection carries. */
class ConnectionLeaseTest {
    private final Lease node = Lease.withoutEnd();
    private final Lease first = Lease.withoutEnd();
    private final Lease second = Lease.withoutEnd();
    private final ConnectionLease lease = ConnectionLease.begin(new EmbeddedChannel(), node);

    @Test
    void aConnectionWithoutLinksDependsOnTheNode() {
        assertThat(lease.isOver()).isFalse();
        node.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void theFirstOfItsShardsThatIsOverSilencesIt() {
        lease.dependsOn(1, first);
        lease.dependsOn(2, second);
        second.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void aShardWithoutALinkOfItDoesNotCount() {
        lease.dependsOn(1, first);
        second.end();
        assertThat(lease.isOver()).isFalse();
    }

    @Test
    void aForgottenShardDoesNotCountAnyMore() {
        lease.dependsOn(1, first);
        lease.dependsOn(2, second);
        first.end();
        lease.forget(1);
        assertThat(lease.dependsOn(1)).isFalse();
        assertThat(lease.dependsOn(2)).isTrue();
        assertThat(lease.isOver()).isFalse();
        second.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void aShardThatCameBackHasItsNewLease() {
        lease.dependsOn(1, first);
        lease.dependsOn(1, second);
        first.end();
        assertThat(lease.isOver()).isFalse();
    }

    @Test
    void theLeaseOfTheOnlyShardIsThatOfTheNode() {
        lease.dependsOn(0, node);
        assertThat(lease.dependsOn(0)).isFalse();
        node.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void aChannelKeepsItsLease() {
        EmbeddedChannel channel = new EmbeddedChannel();
        assertThat(ConnectionLease.of(channel)).isSameAs(ConnectionLease.of(channel));
    }
}
