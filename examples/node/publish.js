'use strict';

/* Publishes durable messages to a queue, and waits for the outcome of each. */

const { connect, sender, publish, close } = require('./broker');

async function main() {
    const connection = connect();
    const orders = await sender(connection, 'queue://node.orders');
    for (let number = 1; number <= 3; number++) {
        await publish(orders, { body: `order ${number}`, application_properties: { country: 'PT' } });
        console.log(`accepted: order ${number}`);
    }
    await close(connection);
}

main();
