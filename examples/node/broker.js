'use strict';

/* What every example needs: the broker's address, connections to it, and promises for rhea's events. */

const rhea = require('rhea');

const { hostname, port } = new URL(process.env.AMQP_URL || 'amqp://localhost:5672');

/** A connection of its own. Durable subscriptions belong to a container id, which then has to be the same again. */
function connect(containerId, options = {}) {
    const container = rhea.create_container(containerId ? { id: containerId } : {});
    return container.connect({ host: hostname, port: Number(port || 5672), reconnect: false, ...options });
}

/** The next event of that name; fails with the broker's error if the connection or a link is refused before. */
function next(emitter, event) {
    return new Promise((resolve, reject) => {
        const failures = ['rejected', 'sender_error', 'receiver_error', 'connection_error', 'disconnected'];
        const forget = () => {
            emitter.removeListener(event, done);
            failures.forEach((name) => emitter.removeListener(name, failed));
        };
        const done = (context) => {
            forget();
            resolve(context);
        };
        const failed = (context) => {
            forget();
            const link = context.sender || context.receiver;
            const error = (link && link.error) || context.connection.error || context.error;
            reject(error instanceof Error ? error : new Error(String(error || `no ${event}`)));
        };
        emitter.on(event, done);
        failures.forEach((name) => emitter.on(name, failed));
    });
}

/** A link for sending, once the broker gives it credit. */
async function sender(connection, address) {
    const link = connection.open_sender({ target: { address } });
    await next(link, 'sendable');
    return link;
}

/** Sends a durable message; resolves once the broker has synced it to disk: accepted means durable. */
async function publish(link, message) {
    if (!link.sendable()) {
        await next(link, 'sendable');
    }
    const accepted = next(link, 'accepted');
    link.send({ durable: true, ...message });
    await accepted;
}

/** Ends a connection; resolves once the broker has heard of it. */
async function close(connection) {
    const closed = next(connection, 'connection_close');
    connection.close();
    await closed;
}

module.exports = { connect, next, sender, publish, close };
