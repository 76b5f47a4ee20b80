'use strict';

/* Request and reply: the reply comes to a temporary queue that lives as long as the link of the one who asks. */

const { connect, next, sender, publish, close } = require('./broker');

const QUEUE = 'queue://node.catalogue';
const PRICES = { atlas: '8.90', cookbook: '24.00' };

async function answer(connection) {
    const replies = connection.open_sender({ target: {} }); // to wherever a message says: the anonymous relay
    await next(replies, 'sendable');
    const requests = connection.open_receiver({ source: QUEUE, autoaccept: false, credit_window: 1 });
    requests.on('message', async ({ message, delivery }) => {
        const { reply_to: to, correlation_id } = message;
        try {
            await publish(replies, { to, correlation_id, body: PRICES[message.body], durable: false });
        } catch (rejected) {
            // Its temporary queue is gone: who has asked, in an earlier run, waits no more.
        }
        delivery.accept();
    });
}

async function main() {
    const catalogue = connect();
    await answer(catalogue);

    const connection = connect();
    const answers = connection.open_receiver({ source: { dynamic: true } });
    const { receiver } = await next(answers, 'receiver_open');
    const requests = await sender(connection, QUEUE);
    for (const article of Object.keys(PRICES)) {
        const answered = next(answers, 'message');
        await publish(requests, { body: article, reply_to: receiver.source.address, correlation_id: article });
        const { message } = await answered;
        console.log(`${message.correlation_id}: ${message.body}`);
    }
    await close(connection);
    await close(catalogue);
}

main();
