package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.SafepointPause;
import io.ringtable.acceptance.harness.Signal;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;

/** Names the part between the active node and its database that stands still, and goes on later. Thread: the test's. */
enum Freeze {
    /** The node's process. */
    NODE {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            return stop(Set.of(node.broker().pid()));
        }
    },
    /** Every Java thread of the node, as in a long pause of the collector; the process lives. */
    COLLECTOR {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            return SafepointPause.of(node.broker().pid(), directory)::end;
        }
    },
    /** The network to the database: what was sent arrives late. */
    NETWORK {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            node.proxy().pause();
            return node.proxy()::resume;
        }
    },
    /** The same, and what was sent never arrives. */
    NETWORK_CUT {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            node.proxy().pause();
            return () -> {
                node.proxy().cut();
                node.proxy().resume();
            };
        }
    },
    /** The processes of the database that serve the node. */
    BACKENDS {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            return stop(server.backends(node.proxy().serverSidePorts()));
        }
    },
    /** The whole database. */
    DATABASE {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            return stop(server.processes());
        }
    },
    /** The network first, so that statements wait in it, then the node; the network goes on first. */
    NETWORK_AND_NODE {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            Thaw network = NETWORK.begin(node, server, directory);
            Thaw process = NODE.begin(node, server, directory);
            return () -> {
                network.end();
                process.end();
            };
        }
    },
    /** The node's processes of the database first, in whatever they are doing, then the node. */
    BACKENDS_AND_NODE {
        @Override
        Thaw begin(Nodes.Node node, PostgresServer server, Path directory) {
            Thaw backends = BACKENDS.begin(node, server, directory);
            Thaw process = NODE.begin(node, server, directory);
            return () -> {
                process.end();
                backends.end();
            };
        }
    };

    /** Lets go on what was frozen. */
    interface Thaw {
        void end();
    }

    /** @param directory for what the freeze itself needs */
    abstract Thaw begin(Nodes.Node node, PostgresServer server, Path directory);

    private static Thaw stop(Collection<Long> processes) {
        Signal.STOP.to(processes);
        return () -> Signal.CONT.to(processes);
    }
}
