package io.ringtable.broker.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that wait for room and submit as soon as they hear of it. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisruptorMailboxTest {
    private static final int PLACES = 4;
    private static final int BYTES_OF_A_PLACE = 8 << 10;

    private final DisruptorMailbox mailbox = new DisruptorMailbox(PLACES * BYTES_OF_A_PLACE, new Doorbell());
    private final List<String> taken = new ArrayList<>();

    @Test
    void moreThanThereIsRoomForWaitAndGetInAsRoomComes() {
        IntStream.range(0, 3 * PLACES).forEach(i -> submit("work " + i, 10));
        assertThat(mailbox.announceRoom()).as("the others wait").isTrue();
        takeAllAsRoomComes();
        assertThat(taken).containsExactlyElementsOf(works(3 * PLACES));
        assertThat(mailbox.announceRoom()).isFalse();
    }

    @Test
    void worksThatDoNotFitBesideOthersGetInOneAfterTheOther() {
        int large = (PLACES - 1) * BYTES_OF_A_PLACE;
        IntStream.range(0, PLACES).forEach(i -> submit("work " + i, large));
        assertThat(mailbox.announceRoom()).as("bytes are left, but too few").isTrue();
        takeAllAsRoomComes();
        assertThat(taken).containsExactlyInAnyOrderElementsOf(works(PLACES));
    }

    /** As the moves of dead letters do. */
    private void submit(String name, int bytes) {
        submit(Work.publish(message(name, bytes), NOBODY));
    }

    private void submit(Work work) {
        if (!mailbox.trySubmit(work)) {
            mailbox.onRoom(() -> submit(work));
        }
    }

    /** As the committer's turns do. */
    private void takeAllAsRoomComes() {
        for (Work work; (work = mailbox.peek()) != null; mailbox.announceRoom()) {
            byte[] body = work.messages().get(0).encoded();
            taken.add(new String(body, StandardCharsets.UTF_8).strip());
            mailbox.take();
        }
    }

    private static List<String> works(int count) {
        return IntStream.range(0, count).mapToObj(i -> "work " + i).toList();
    }

    private static Message message(String name, int bytes) {
        Address queue = new Address(1, "q", AddressKind.QUEUE, new AddressQuota(100, 1 << 20));
        byte[] body = (name + " ".repeat(bytes - name.length())).getBytes(StandardCharsets.UTF_8);
        return new Message(queue, 0, Message.PRIORITY_NORMAL, 0, 0, body, 0);
    }

    private static final Completion NOBODY = new Completion() {
        @Override
        public void accepted() {
            // Nothing becomes of the works here.
        }

        @Override
        public void refused(Refusal refusal) {
            throw new AssertionError(refusal);
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    };
}
