'use strict';

/* Two consumers compete for the messages of one queue: each message goes to one of them. */

const { connect, sender, publish, close } = require('./broker');

const TASKS = 20;
const QUEUE = 'queue://node.tasks';

/** Works until all tasks are done, by whomever. */
function work(connection, done, all) {
    // As many messages as a consumer may have in hand at a time: a slow one leaves the rest to the others.
    const tasks = connection.open_receiver({ source: QUEUE, autoaccept: false, credit_window: 1 });
    return new Promise((resolve) => {
        tasks.on('message', ({ message, delivery }) => {
            done.push(message.body);
            delivery.accept(); // only now the broker forgets it; one that dies before gets it again, or another one
            all.left--;
            if (!all.left) {
                all.ended();
            }
        });
        all.waiting.push(resolve);
    });
}

async function main() {
    const connection = connect();
    const link = await sender(connection, QUEUE);
    for (let number = 0; number < TASKS; number++) {
        await publish(link, { body: number });
    }
    await close(connection);

    const first = [];
    const second = [];
    const all = { left: TASKS, waiting: [], ended: () => all.waiting.forEach((resolve) => resolve()) };
    const connections = [connect(), connect()];
    await Promise.all([work(connections[0], first, all), work(connections[1], second, all)]);
    await Promise.all(connections.map(close));

    console.log(`the first has done ${first.length} tasks, the second ${second.length}`);
    const once = [...first, ...second].sort((a, b) => a - b).every((task, index) => task === index);
    console.log(once ? `${TASKS} tasks, each done once` : `not each once: ${first} and ${second}`);
}

main();
