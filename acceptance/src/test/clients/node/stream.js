'use strict';

/*
 * A client for the cluster's tests, on rhea. It ends when its connection or its standard input does.
 *
 *   stream.js publish URL ADDRESS   sends each line of standard input, and prints it when it is accepted
 *   stream.js consume URL ADDRESS   prints each message, "true " or "false " before it for redelivered, and accepts it
 */

const readline = require('readline');
const rhea = require('rhea');

const IDLE_MS = 3000; // a node that stands still is left
const OPEN_MS = 5000;

const [verb, url, address] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const container = rhea.create_container();

for (const end of ['connection_error', 'session_error', 'sender_error', 'receiver_error', 'rejected', 'released',
    'modified', 'disconnected', 'connection_close', 'sender_close', 'receiver_close']) {
    container.on(end, (context) => leave(end, context));
}

function leave(why, context) {
    const link = context.receiver || context.sender;
    console.error(why, (link && link.error) || (context.connection && context.connection.error) || context.error || '');
    process.exit(1);
}

const opening = setTimeout(() => leave('no answer', {}), OPEN_MS);
const connection = container.connect({ host: hostname, port: Number(port), reconnect: false, idle_time_out: IDLE_MS });
process.stdin.on('end', () => process.exit(0));

if (verb === 'publish') {
    const lines = [];
    const sent = new Map();
    const sender = connection.open_sender(address);
    const send = () => {
        while (sender.sendable() && lines.length) {
            const line = lines.shift();
            sent.set(sender.send({ body: line, durable: true }).id, line);
        }
    };
    container.on('sendable', () => {
        clearTimeout(opening);
        send();
    });
    container.on('accepted', ({ delivery }) => {
        console.log(sent.get(delivery.id));
        sent.delete(delivery.id);
    });
    readline.createInterface({ input: process.stdin }).on('line', (line) => {
        lines.push(line);
        send();
    });
} else {
    process.stdin.resume();
    connection.open_receiver({ source: address, credit_window: 20, autoaccept: false });
    container.on('receiver_open', () => clearTimeout(opening));
    container.on('message', ({ message, delivery }) => {
        const body = message.body.content ? message.body.content.toString() : message.body;
        process.stdout.write(`${message.delivery_count > 0} ${body}\n`);
        delivery.accept();
    });
}
