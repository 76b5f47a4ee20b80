package io.ringtable.spring.boot.broker;

import io.ringtable.broker.admin.StatusController;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Shows, at {@code /actuator/ringtable}, what the executable broker shows at {@code /status}: what is owed to whom. */
@Endpoint(id = "ringtable")
public final class RingtableEndpoint {
    private final Supplier<StatusController.Status> status;

    RingtableEndpoint(Supplier<StatusController.Status> status) {
        this.status = status;
    }

    @ReadOperation
    public StatusController.Status status() {
        return status.get();
    }
}
