'use strict';

/*
 * Goes on through a restart of the broker, and no message is stored twice.
 *
 * A publisher that loses its connection does not know whether its last message is stored, and sends it again. The
 * property _AMQ_DUPL_ID lets the broker store it once all the same.
 */

const { randomUUID } = require('crypto');
const { connect, close } = require('./broker');

const QUEUE = 'queue://node.readings';
const AFTERWARDS = 5;

const run = randomUUID(); // ids are remembered by the broker: another run needs other ones

/** Publishes until the connection has been lost and a few more messages are accepted; resolves with their number. */
function publishThroughARestart(connection) {
    const readings = connection.open_sender({ target: { address: QUEUE } });
    let accepted = 0;
    let lost = false;
    let left = AFTERWARDS;
    let inFlight = false;

    function send() {
        if (!inFlight && left && readings.sendable()) {
            inFlight = true;
            const _AMQ_DUPL_ID = `${run}-${accepted}`;
            readings.send({ durable: true, body: accepted, application_properties: { _AMQ_DUPL_ID } });
        }
    }

    return new Promise((resolve, reject) => {
        connection.on('connection_open', () => {
            console.log(lost ? 'connected again' : 'connected: now stop the broker and start it again');
        });
        connection.on('disconnected', () => {
            if (!lost) {
                console.log('the connection is lost'); // rhea connects again, and attaches its links
            }
            lost = true;
            inFlight = false; // without an outcome: the next send is the same message again
        });
        readings.on('sendable', send);
        readings.on('accepted', () => {
            inFlight = false;
            accepted++;
            left -= lost ? 1 : 0;
            if (left) {
                setTimeout(send, 50);
            } else {
                resolve(accepted);
            }
        });
        // The broker's answer: to send it again would not help.
        readings.on('rejected', ({ delivery }) => reject(new Error(String(delivery.remote_state.error))));
    });
}

/** Takes whatever the queue holds. */
function receiveAll(connection) {
    const received = [];
    return new Promise((resolve) => {
        const receiver = connection.open_receiver({ source: QUEUE, credit_window: 0 });
        receiver.on('message', ({ message }) => received.push(message.body));
        receiver.on('receiver_drained', () => resolve(received)); // it has been given all there is
        receiver.drain_credit();
        receiver.add_credit(10000);
    });
}

async function main() {
    const connection = connect(undefined, { reconnect: true, initial_reconnect_delay: 200, max_reconnect_delay: 1000 });
    const accepted = await publishThroughARestart(connection);
    const received = await receiveAll(connection);
    await close(connection);
    const once = received.length === accepted && received.every((body, index) => body === index);
    console.log(`${accepted} accepted, ${once ? 'each received once' : `received ${received}`}`);
}

main();
