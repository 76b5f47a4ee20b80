package io.ringtable.broker.amqp.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.ringtable.broker.ownership.Lease;
import org.junit.jupiter.api.Test;

/** The leases of the shards whose links one connection carries. */
class ConnectionLeaseTest {
    private final Lease node = Lease.withoutEnd();
    private final Lease first = Lease.withoutEnd();
    private final Lease second = Lease.withoutEnd();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ConnectionLease lease = ConnectionLease.begin(channel, node);

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
        assertThat(lease.forget(1)).isTrue();
        assertThat(lease.isOver()).isFalse();
        second.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void aShardIsNotForgottenWhileBytesWait() {
        lease.dependsOn(1, first);
        channel.unsafe().outboundBuffer().addMessage(Unpooled.buffer(), 0, channel.newPromise());
        channel.unsafe().outboundBuffer().addFlush();
        assertThat(lease.forget(2)).as("it had no link to that one").isTrue();
        assertThat(lease.forget(1)).isFalse();
        first.end();
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
        assertThat(lease.isOver()).isFalse();
        node.end();
        assertThat(lease.isOver()).isTrue();
    }

    @Test
    void aChannelKeepsItsLease() {
        assertThat(ConnectionLease.of(channel)).isSameAs(lease);
        EmbeddedChannel unbounded = new EmbeddedChannel();
        assertThat(ConnectionLease.of(unbounded)).isSameAs(ConnectionLease.of(unbounded));
    }
}
