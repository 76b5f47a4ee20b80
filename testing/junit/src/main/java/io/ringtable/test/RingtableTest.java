package io.ringtable.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class against a broker in this process. Methods and constructors may ask for a
 * {@link TestBroker}, a {@link io.ringtable.client.RingtableClient}, {@link TestAddresses} or the broker's
 * {@link java.net.URI}.
 *
 * <pre>{@code
 * @RingtableTest
 * class OrdersTest {
 *     @Test
 *     void takesAnOrder(RingtableClient client, TestBroker broker) {
 *         new OrderDesk(client).order("one book");
 *
 *         assertThat(broker.awaitPublished("queue://orders").text()).isEqualTo("one book");
 *     }
 * }
 * }</pre>
 *
 * Classes that ask for the same properties share one broker, so that it starts once. Each test begins without
 * addresses; see {@link TestAddresses} for tests that run in parallel.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RingtableExtension.class)
public @interface RingtableTest {

    /**
     * Sets properties of the broker, as {@code "ringtable.dispatch.deliveries-max=2"}. Names and values are those of
     * the broker itself; a wrong one fails the tests of the class.
     */
    String[] properties() default {};

    /** Says whether the class has a broker that no other class uses: for faults beside tests that run in parallel. */
    boolean own() default false;
}
