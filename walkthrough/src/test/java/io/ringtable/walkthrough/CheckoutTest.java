package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckoutTest {
    @TempDir
    Path directory;

    @Test
    void aPortThatIsPutInMayContainOneOfAPage() throws IOException {
        try (Checkout checkout = new Checkout(directory)) {
            checkout.replace("localhost:5432", "localhost:18161");
            checkout.replace("127.0.0.1:8080", "127.0.0.1:15672");
            assertThat(checkout.here("curl 127.0.0.1:8080 # as localhost:5432 says"))
                    .isEqualTo("curl 127.0.0.1:15672 # as localhost:18161 says");
        }
    }

    @Test
    void aLongerTextGoesBeforeAPortInIt() throws IOException {
        try (Checkout checkout = new Checkout(directory)) {
            checkout.replace("amqp://localhost:5672/orders", "amqp://there/$1");
            assertThat(checkout.here("amqp://localhost:5672/orders")).isEqualTo("amqp://there/$1");
            assertThat(checkout.here("amqp://localhost:5672")).isEqualTo("amqp://localhost:" + checkout.here("5672"));
        }
    }
}
