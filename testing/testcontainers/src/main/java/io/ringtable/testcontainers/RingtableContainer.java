package io.ringtable.testcontainers;

import java.util.Objects;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Runs a broker in a container, on a file inside it. The container is up once the broker serves.
 *
 * <pre>{@code
 * @Container
 * static RingtableContainer broker = new RingtableContainer();
 *
 * RingtableClient client = RingtableClient.builder()
 *         .uri(broker.getUri())
 *         .user(broker.getUser(), broker::getPassword)
 *         .connect();
 * }</pre>
 *
 * In a Spring Boot test {@code @ServiceConnection} on the field connects the application; properties of the broker are
 * set by {@link #withEnv(String, String)}, as {@code RINGTABLE_DISPATCH_DELIVERIES_MAX}.
 */
public class RingtableContainer extends GenericContainer<RingtableContainer> {
    private static final DockerImageName IMAGE_NAME = DockerImageName.parse("ringtable/ringtable");

    /** Name of the image of this version. */
    public static final DockerImageName DEFAULT_IMAGE_NAME = IMAGE_NAME.withTag("0.2.0");

    static final int AMQP_PORT = 5672;
    static final int HTTP_PORT = 8161;
    private static final int OK = 200;

    private String user = "test";
    private String password = "test";

    /** Makes a container of the image of this version. */
    public RingtableContainer() {
        this(DEFAULT_IMAGE_NAME);
    }

    /** Makes a container of the image, such as {@code ringtable/ringtable:0.2.0}. */
    public RingtableContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /** Makes a container of the image. @param image compatible with {@code ringtable/ringtable} */
    public RingtableContainer(DockerImageName image) {
        super(image);
        image.assertCompatibleWith(IMAGE_NAME);
        addExposedPorts(AMQP_PORT, HTTP_PORT);
        waitingFor(Wait.forHttp("/readyz").forPort(HTTP_PORT).forStatusCode(OK));
    }

    /** Sets the one user that the broker knows; default {@code test}, with the password {@code test}. */
    public RingtableContainer withUser(String name, String itsPassword) {
        user = Objects.requireNonNull(name, "name");
        password = Objects.requireNonNull(itsPassword, "itsPassword");
        return this;
    }

    /** Lets clients and the health check in from outside of the container; the broker listens on loopback otherwise. */
    @Override
    protected void configure() {
        withEnv("RINGTABLE_AMQP_HOST", "0.0.0.0");
        withEnv("RINGTABLE_SECURITY_USERS_0_NAME", user);
        withEnv("RINGTABLE_SECURITY_USERS_0_PASSWORD", "{noop}" + password);
        withEnv("SERVER_ADDRESS", "0.0.0.0");
        withEnv("RINGTABLE_SECURITY_ALLOW_REMOTE_HTTP", "true");
    }

    /** Returns where clients of the host connect, such as {@code amqp://localhost:32768}; the container must run. */
    public String getUri() {
        return "amqp://" + getHost() + ":" + getMappedPort(AMQP_PORT);
    }

    /** Returns where the broker shows its status and health; the container must run. */
    public String getHttpUrl() {
        return "http://" + getHost() + ":" + getMappedPort(HTTP_PORT);
    }

    public String getUser() {
        return user;
    }

    public String getPassword() {
        return password;
    }
}
