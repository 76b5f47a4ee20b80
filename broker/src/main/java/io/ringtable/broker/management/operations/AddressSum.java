package io.ringtable.broker.management.operations;

import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.operations.AddressOperations.AddressView;
import io.ringtable.broker.management.operations.AddressOperations.PartView;
import io.ringtable.broker.management.operations.AddressOperations.Retained;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Adds up what two nodes say of one address, each of the parts in its shards. Thread: any. */
final class AddressSum {
    private AddressSum() {}

    static JsonNode of(JsonNode one, JsonNode other) {
        return ManagementJson.MAPPER.valueToTree(
                of(ManagementJson.read(one, AddressView.class), ManagementJson.read(other, AddressView.class)));
    }

    private static AddressView of(AddressView one, AddressView other) {
        return new AddressView(
                one.name(),
                one.kind(),
                one.messages() + other.messages(),
                one.bytes() + other.bytes(),
                one.messagesMax() + other.messagesMax(),
                one.bytesMax() + other.bytesMax(),
                Math.max(one.subscriptions(), other.subscriptions()), // each part has the same
                one.links() + other.links(),
                sorted(one.shards(), other.shards()),
                Stream.of(one, other)
                        .flatMap(AddressSum::parts)
                        .sorted(Comparator.comparingInt(PartView::shard))
                        .toList(),
                sorted(one.away(), other.away()),
                retained(one.retained(), other.retained()),
                one.moving() == null ? other.moving() : one.moving(),
                one.stuck() == null ? other.stuck() : one.stuck());
    }

    /** Returns the parts of an address that has several; an address with one part does not list it. */
    private static Stream<PartView> parts(AddressView view) {
        return view.parts() == null
                ? Stream.of(new PartView(view.shards().get(0), view.messages(), view.bytes()))
                : view.parts().stream();
    }

    private static List<Integer> sorted(List<Integer> one, List<Integer> other) {
        List<Integer> all = Stream.of(one, other)
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .sorted()
                .toList();
        return all.isEmpty() ? null : all;
    }

    private static Retained retained(Retained one, Retained other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        Instant oldest = Stream.of(one.oldestAt(), other.oldestAt())
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        return new Retained(one.messages() + other.messages(), one.bytes() + other.bytes(), oldest);
    }
}
