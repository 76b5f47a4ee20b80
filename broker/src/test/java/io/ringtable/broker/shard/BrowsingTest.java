package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that a browser sees every ready message, wherever it lies, and changes nothing; with a window of 16 messages on
 * a real SQLite file.
 */
class BrowsingTest extends SteppedQueueTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    private Reader browser(String prefix, long credit) {
        return shard.browse(shard.reader(queue), prefix, credit);
    }

    private void publish(String text, int priority, long deliverAt) {
        shard.submit(new Message(queue, shard.now, priority, 0, deliverAt, SteppedShard.bytes(text), 0));
    }

    @Test
    void everythingThatIsReadyIsShownInOrderAndNothingChanges() {
        shard.publish(queue, 0, 1_500);
        publish("urgent", 9, 0);
        publish("later", 4, shard.now + 1_000);
        shard.run();
        Reader browser = browser(null, 10_000).drain();
        shard.run();
        List<String> expected = new ArrayList<>(List.of("urgent"));
        expected.addAll(numbers(0, 1_500));
        assertThat(browser.texts()).isEqualTo(expected);
        assertThat(browser.drained).hasSize(1);
        Reader reader = shard.attach(shard.reader(queue), 10_000);
        shard.run();
        assertThat(reader.texts()).isEqualTo(expected);
        assertThat(reader.deliveries).noneMatch(Delivery::redelivered);
        assertThat(queue.quota().messages()).isEqualTo(1_502);
    }

    @Test
    void whatOthersHaveIsNotShown() {
        Reader reader = shard.attach(shard.reader(queue), 3);
        shard.publish(queue, 0, 100);
        Reader browser = browser(null, 1_000);
        shard.run();
        assertThat(browser.texts()).isEqualTo(numbers(3, 100));
        reader.release(reader.deliveries.get(1));
        shard.run();
        Reader again = browser(null, 2);
        shard.run();
        assertThat(again.texts())
                .as("what came back, and no more than its credit")
                .containsExactly("1", "3");
    }

    @Test
    void whatMovesToTheBacklogMeanwhileIsShownFromThere() {
        shard.publish(queue, 0, 1_500);
        Reader browser = browser(null, 700);
        shard.run();
        shard.passALap();
        browser.credit(10_000).drain();
        shard.run();
        assertThat(browser.texts()).isEqualTo(numbers(0, 1_500));
    }

    @Test
    void aBacklogThatNobodyHasReadIsShown() {
        shard.publish(queue, 0, 1_500);
        shard.passALap();
        shard.crashAndRestart();
        queue = shard.address("q");
        shard.publish(queue, 1_500, 1_600);
        Reader browser = browser("1", 10_000).drain();
        shard.run();
        assertThat(browser.texts())
                .isEqualTo(numbers(0, 1_600).stream()
                        .filter(text -> text.startsWith("1"))
                        .toList());
        assertThat(browser.drained).hasSize(1);
    }

    @Test
    void whatWasCommittedJustBeforeIsShownOfATemporaryQueueToo() {
        queue = shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        numbers(0, 3).forEach(text -> shard.publish(queue, text));
        while (shard.commitTurn() > 0) {
            // until all are committed
        }
        Reader browser = browser(null, 10).drain();
        shard.dispatchTurn();
        assertThat(browser.texts())
                .as("the browser came with the news, in one turn")
                .isEqualTo(numbers(0, 3));
        assertThat(browser.drained).hasSize(1);
    }

    @Test
    void whatIsConsumedMeanwhileIsLeftOut() {
        shard.publish(queue, 0, 1_500);
        Reader browser = browser(null, 10);
        shard.run();
        shard.passALap();
        Reader reader = shard.attach(shard.reader(queue), 10_000);
        shard.run();
        reader.acceptAll();
        reader.detach(false);
        shard.run();
        browser.credit(10_000).drain();
        shard.run();
        assertThat(browser.texts()).startsWith("0", "1", "2").hasSizeLessThanOrEqualTo(512);
        assertThat(browser.drained).hasSize(1);
        assertThat(queue.quota().messages()).isZero();
    }

    @Test
    void whoGoesIsShownNothingMore() {
        shard.publish(queue, 0, 1_500);
        Reader browser = browser(null, 10_000);
        shard.dispatchTurn();
        browser.detach(false);
        shard.run();
        assertThat(browser.deliveries).hasSizeLessThanOrEqualTo(512);
        browser.credit(10_000);
        shard.run();
        assertThat(browser.deliveries).hasSizeLessThanOrEqualTo(512);
    }

    @Test
    void browsersThatDoNotReadHoldLittleAndSeeEverythingInTheEnd() {
        for (int i = 0; i < 400; i++) {
            shard.submit(shard.message(queue, new byte[16 << 10]));
            shard.run();
        }
        List<Reader> browsers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            browsers.add(browser(null, 1_000));
        }
        shard.run();
        assertThat(shard.dispatcher.unsettledBytes()).as("of 20 times 6.4 MB").isLessThan(3 << 20);
        for (int round = 0; round < 10_000 && shard.dispatcher.unsettledBytes() > 0; round++) {
            for (Reader browser : browsers) {
                List.copyOf(browser.unsettled).forEach(browser::release); // it has been written
            }
            shard.run();
        }
        assertThat(browsers)
                .allSatisfy(browser -> assertThat(browser.deliveries).hasSize(400));
        browsers.forEach(browser -> browser.detach(false));
        shard.run();
        assertThat(shard.dispatcher.unsettledBytes()).isZero();
    }
}
