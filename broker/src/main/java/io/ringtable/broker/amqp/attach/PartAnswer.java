package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.relay.RelayAnswer;
import io.ringtable.broker.amqp.relay.RemoteHome;
import java.util.function.Consumer;

/** Hears what becomes of a link to the parts of another node. Such a link follows no shard, and ends with its owner. */
interface PartAnswer extends RelayAnswer {
    @Override
    default void takesPlace(AmqpLink relayed) {
        throw new IllegalStateException("a part follows no shard");
    }

    @Override
    default boolean follows() {
        return false;
    }

    @Override
    default boolean survivesOwner() {
        return false;
    }

    @Override
    default RemoteHome home() {
        return null;
    }

    @Override
    default void lastNumber(CarriedProducer producer, Consumer<CarriedProducer> then) {
        throw new IllegalStateException("a part publishes nothing");
    }

    @Override
    default boolean isHere() {
        return false;
    }

    @Override
    default void serveHere() {
        throw new IllegalStateException("a part follows no shard");
    }
}
