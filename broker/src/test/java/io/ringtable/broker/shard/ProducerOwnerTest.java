package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A producer belongs to the user who first opened it; on a real SQLite file, stepped by hand. */
class ProducerOwnerTest extends SteppedQueueTest {
    private final List<String> fenced = new ArrayList<>();

    @Test
    void theFirstUserOwnsAProducerAndNobodyElseOpensItAlsoAfterARestart() {
        Producer first = open("ann", false, 0);
        isRefused("bob", 0);
        isRefused("bob", first.incarnation());
        assertThat(fenced).isEmpty();

        restart();

        assertThat(owner()).isEqualTo("ann");
        isRefused("bob", 0);
        assertThat(open("ann", false, first.incarnation()).incarnation()).isEqualTo(1);
        assertThat(open("ann", false, 0).incarnation()).isEqualTo(2);
    }

    @Test
    void whoManagesTheAddressOpensAProducerAndDoesNotOwnIt() {
        open("ann", false, 0);
        open("ops", true, 0);
        assertThat(fenced).containsExactly("ann");
        assertThat(owner()).isEqualTo("ann");
        open("ann", false, 0);
        assertThat(fenced).containsExactly("ann", "ops");
    }

    @Test
    void aProducerOfNobodyGoesToTheNextUserWhoOpensIt() {
        open("", false, 0);
        assertThat(owner()).isNull();
        restart();
        open("ann", false, 0);
        assertThat(owner()).isEqualTo("ann");
        restart();
        isRefused("bob", 0);
    }

    /** A link that comes back after its connection was lost does not open its producer anew. */
    @Test
    void aProducerOfNobodyGoesToTheUserWhoComesBackToItsIncarnation() {
        Producer before = open("", false, 0);
        restart();
        Producer after = open("ann", false, before.incarnation());
        assertThat(after.incarnation()).isEqualTo(before.incarnation());
        restart();
        assertThat(owner()).isEqualTo("ann");
    }

    @Test
    void anOwnerIsKnownWhenTheOutcomeOfItsWriteIsNot() {
        open("", false, 0);
        boolean[] failed = {false};
        shard.store.plan = (verb, flush) -> {
            if (!verb.equals("alter") || failed[0]) {
                return null;
            }
            failed[0] = true;
            return Fault.after(Kind.OUTCOME_UNKNOWN);
        };
        open("ann", false, 1);
        assertThat(failed[0]).isTrue();
        isRefused("bob", 0);
        restart();
        isRefused("bob", 0);
    }

    @Test
    void withoutUsersEverybodyOpensItAndTheOwnerStays() {
        open("ann", false, 0);
        open("", false, 0);
        assertThat(fenced).containsExactly("ann");
        restart();
        isRefused("bob", 0);
    }

    @Test
    void aForgottenProducerIsFree() {
        shard.doors.catalog().leave(open("ann", false, 0));
        shard.await(shard.doors.catalog().forget(queue, "p"));
        assertThat(open("bob", false, 0).incarnation()).isEqualTo(1);
        assertThat(owner()).isEqualTo("bob");
        isRefused("ann", 0);
    }

    private Producer open(String user, boolean manages, long incarnation) {
        ProducerUser asking = new ProducerUser(user, null, manages, "a connection of " + user);
        return shard.await(shard.doors.catalog().attend(asking, queue, "p", incarnation, () -> fenced.add(user)));
    }

    private void isRefused(String user, long incarnation) {
        assertThatThrownBy(() -> open(user, false, incarnation))
                .hasMessageContaining("RT-4354 user '" + user + "' may not open producer 'p' of queue 'q', which is of"
                        + " another user")
                .hasMessageContaining("'manage'");
    }

    private String owner() {
        List<ProducerEntry> found = shard.await(shard.doors.catalog().producers(0, 10, queue, null));
        assertThat(found).hasSize(1);
        return found.get(0).owner();
    }

    @Override
    void restart() {
        super.restart();
        fenced.clear();
    }
}
