import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.jms.JmsTopic;
import org.objectweb.jtests.jms.admin.Admin;

/**
 * Administers connection factories and destinations, which the tests create, look up and delete. Each creation names a
 * new address, so that a test begins with an empty one although no address is ever deleted.
 */
public final class RingtableAdmin implements Admin {
    private static final String URL = System.getProperty("conformance.url");

    private static final AtomicInteger CREATED = new AtomicInteger();
    private static final Map<String, Object> BOUND = new ConcurrentHashMap<>();

    @Override
    public String getName() {
        return "ringtable";
    }

    @Override
    public Context createContext() {
        return (Context) Proxy.newProxyInstance(
                RingtableAdmin.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    // The tests look names up and ask for nothing else; a version that does fails here by name.
                    if (!method.getName().equals("lookup")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    Object found = BOUND.get(arguments[0]);
                    if (found == null) {
                        throw new NameNotFoundException(String.valueOf(arguments[0]));
                    }
                    return found;
                });
    }

    @Override
    public void createConnectionFactory(String name) {
        BOUND.put(name, new JmsConnectionFactory(URL));
    }

    @Override
    public void createQueueConnectionFactory(String name) {
        createConnectionFactory(name);
    }

    @Override
    public void createTopicConnectionFactory(String name) {
        createConnectionFactory(name);
    }

    @Override
    public void createQueue(String name) {
        BOUND.put(name, new JmsQueue(another(name)));
    }

    @Override
    public void createTopic(String name) {
        BOUND.put(name, new JmsTopic(another(name)));
    }

    private static String another(String name) {
        return "conformance." + ProcessHandle.current().pid() + "." + CREATED.incrementAndGet() + "." + name;
    }

    @Override
    public void deleteQueue(String name) {
        BOUND.remove(name);
    }

    @Override
    public void deleteTopic(String name) {
        BOUND.remove(name);
    }

    @Override
    public void deleteConnectionFactory(String name) {
        BOUND.remove(name);
    }

    @Override
    public void deleteQueueConnectionFactory(String name) {
        BOUND.remove(name);
    }

    @Override
    public void deleteTopicConnectionFactory(String name) {
        BOUND.remove(name);
    }

    @Override
    public void startServer() {} // the broker runs already

    @Override
    public void stopServer() {}

    @Override
    public void start() {}

    @Override
    public void stop() {}
}
