'use strict';

/*
 * One AMQP client for the interoperability tests, on rhea.
 *
 *   client.js send URL KIND ADDRESS COUNT PREFIX
 *   client.js subscribe URL ADDRESS CONTAINER NAME
 *   client.js receive URL KIND ADDRESS COUNT [CONTAINER NAME]
 *   client.js try URL FILE
 *   client.js login URL MECHANISM USER SECRET [CERTIFICATE KEY]
 *
 * The arguments are those of client.py. A prefix of the address, queue:// or topic://, tells KIND, not a capability.
 */

const fs = require('fs');
const rhea = require('rhea');

const [verb, url, ...rest] = process.argv.slice(2);
const { hostname, port } = new URL(url);

function connect(containerId, more = {}) {
    const container = rhea.create_container(containerId ? { id: containerId } : {});
    for (const failure of ['connection_error', 'session_error', 'sender_error', 'receiver_error', 'rejected']) {
        container.on(failure, (context) => fail(failure, context));
    }
    container.on('disconnected', (context) => fail('disconnected', context));
    return [container, container.connect({ host: hostname, port: Number(port), reconnect: false, ...more })];
}

function fail(what, context) {
    const link = context.receiver || context.sender;
    console.error(what, (link && link.error) || context.connection.error || context.error || '');
    process.exit(1);
}

function done(container, connection) {
    container.removeAllListeners('disconnected');
    connection.close();
}

function send(kind, address, count, prefix) {
    const [container, connection] = connect();
    let sent = 0;
    let accepted = 0;
    container.on('sendable', ({ sender }) => {
        while (sender.sendable() && sent < count) {
            const n = rhea.types.wrap_int(sent);
            sender.send({ body: `${prefix} ${sent}`, durable: true, application_properties: { n } });
            sent++;
        }
    });
    container.on('accepted', () => {
        if (++accepted === count) {
            done(container, connection);
        }
    });
    connection.open_sender({ target: { address: `${kind}://${address}` } });
}

function durable(address) {
    return { address: `topic://${address}`, durable: 2, expiry_policy: 'never' };
}

function subscribe(address, containerId, name) {
    const [container, connection] = connect(containerId);
    container.on('receiver_open', ({ receiver }) => {
        receiver.detach();
        done(container, connection);
    });
    connection.open_receiver({ name, source: durable(address), credit_window: 0 });
}

function receive(kind, address, count, containerId, name) {
    const [container, connection] = connect(containerId);
    let received = 0;
    container.on('message', ({ message, delivery, receiver }) => {
        if (received === count) {
            delivery.release();
            return;
        }
        received++;
        const body = message.body.content || message.body;
        console.log(JSON.stringify({ body: body.toString(), n: Number(message.application_properties.n) }));
        delivery.accept();
        if (received === count) {
            if (name) {
                receiver.detach();
            } else {
                receiver.close();
            }
            done(container, connection);
        }
    });
    const source = name ? durable(address) : { address: `${kind}://${address}` };
    connection.open_receiver({ name, source, autoaccept: false, credit_window: 10 });
}

/* What rhea takes for each mechanism; OAUTHBEARER (RFC 7628) is given to it as a mechanism of the application. */
function loginBy(mechanism, user, secret, certificate, key) {
    switch (mechanism) {
        case 'EXTERNAL':
            return { enable_sasl_external: true, cert: fs.readFileSync(certificate), key: fs.readFileSync(key) };
        case 'XOAUTH2':
            return { username: user, token: secret };
        case 'OAUTHBEARER': {
            const response = Buffer.from(`n,,\u0001auth=Bearer ${secret}\u0001\u0001`);
            return { sasl_mechanisms: { OAUTHBEARER: () => ({ start: (answer) => answer(undefined, response) }) } };
        }
        default:
            return { username: user, password: secret };
    }
}

function login(mechanism, ...who) {
    const tls = { transport: 'tls', rejectUnauthorized: false };
    const [container, connection] = connect(undefined, { ...tls, ...loginBy(mechanism, ...who) });
    container.once('sendable', ({ sender }) => sender.send({ body: 'hello', durable: true }));
    container.on('accepted', () => done(container, connection));
    connection.open_sender(mechanism);
}

/* Does what one line of the file says, USER WAY ADDRESS, on a connection of its own. */
function attempt(user, way, address) {
    return new Promise((resolve) => {
        const container = rhea.create_container();
        const connection = container.connect({
            host: hostname, port: Number(port), username: user, password: user, reconnect: false,
        });
        const end = (result) => {
            resolve(String(result).replace(/\n/g, ' '));
            container.removeAllListeners('disconnected');
            connection.close();
        };
        const reason = (error) => (error ? `${error.condition}: ${error.description}` : 'no reason');
        container.on('sender_error', ({ sender }) => end(reason(sender.error)));
        container.on('receiver_error', ({ receiver }) => end(reason(receiver.error)));
        container.on('connection_error', () => end(reason(connection.error)));
        container.on('disconnected', () => end('disconnected'));
        container.on('rejected', ({ delivery }) => end(reason(delivery.remote_state.error)));
        container.on('accepted', () => way === 'manage' || end('allowed'));
        container.on('message', ({ message }) => {
            end(message.subject === '200' ? 'allowed' : `${message.subject} ${message.body}`);
        });
        container.on('receiver_open', ({ receiver }) => {
            if (way === 'manage') {
                connection.open_sender('$management');
            } else if (receiver.source && receiver.source.address) {
                end('allowed');
            }
        });
        if (way === 'manage') {
            const answers = connection.open_receiver({ source: { dynamic: true } });
            container.once('sendable', ({ sender }) => {
                const replyTo = answers.source.address;
                sender.send({ message_id: '1', subject: 'GET', to: `/addresses/${address}`, reply_to: replyTo });
            });
            return;
        }
        if (way === 'receive' || way === 'browse') {
            const source = { address, distribution_mode: way === 'browse' ? 'copy' : 'move' };
            connection.open_receiver({ source, credit_window: 0 });
            return;
        }
        container.once('sendable', ({ sender }) => sender.send({ body: 'try', to: way === 'send' ? undefined : address }));
        connection.open_sender({ target: way === 'send' ? { address } : {} });
    });
}

async function tryEach(file) {
    for (const line of fs.readFileSync(file, 'utf8').trim().split('\n')) {
        console.log(line, await attempt(...line.split(' ')));
    }
}

switch (verb) {
    case 'try':
        tryEach(rest[0]);
        break;
    case 'login':
        login(...rest);
        break;
    case 'send':
        send(rest[0], rest[1], Number(rest[2]), rest[3]);
        break;
    case 'subscribe':
        subscribe(...rest);
        break;
    case 'receive':
        receive(rest[0], rest[1], Number(rest[2]), rest[3], rest[4]);
        break;
    default:
        console.error(`unknown verb ${verb}`);
        process.exit(2);
}
