'use strict';

/* A durable subscription of a topic: the broker keeps its messages while nobody is attached. */

const { connect, next, sender, publish, close } = require('./broker');

const TOPIC = 'topic://node.prices';

/** The container id and the name of the link are the subscription's name: with both it is found again. */
async function attach(connection) {
    const link = connection.open_receiver({
        name: 'ledger',
        source: { address: TOPIC, durable: 2, expiry_policy: 'never' },
        autoaccept: false,
        credit_window: 0,
    });
    await next(link, 'receiver_open');
    return link;
}

async function main() {
    let connection = connect('node-ledger');
    (await attach(connection)).detach(); // to close the link instead would end the subscription
    await close(connection);
    console.log('subscribed, and away');

    connection = connect();
    const prices = await sender(connection, TOPIC);
    for (const price of ['8.90', '9.10', '9.40']) {
        await publish(prices, { body: price });
    }
    await close(connection);
    console.log('3 prices published');

    connection = connect('node-ledger');
    const ledger = await attach(connection);
    for (let count = 0; count < 3; count++) {
        const received = next(ledger, 'message');
        ledger.add_credit(1);
        const { message, delivery } = await received;
        console.log(`received: ${message.body}`);
        delivery.accept();
    }
    const closed = next(ledger, 'receiver_close');
    ledger.close(); // the subscription and what it is owed are gone
    await closed;
    await close(connection);
    console.log('unsubscribed');
}

main();
