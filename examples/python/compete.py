"""Two consumers compete for the messages of one queue: each message goes to one of them."""

from threading import Thread

from proton import Message, Timeout

from broker import connect

TASKS = 20
QUEUE = "queue://python.tasks"


def work(done):
    connection = connect()
    # As many messages as a consumer may have in hand at a time: a slow one leaves the rest to the others.
    tasks = connection.create_receiver(QUEUE, credit=1)
    try:
        while True:
            done.append(tasks.receive(timeout=1).body)
            tasks.accept()  # only now the broker forgets it; a consumer that dies before gets it again, or another one
    except Timeout:
        pass  # nothing is left
    connection.close()


connection = connect()
sender = connection.create_sender(QUEUE)
for number in range(TASKS):
    sender.send(Message(body=number, durable=True))
connection.close()

first, second = [], []
workers = [Thread(target=work, args=[done]) for done in (first, second)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()

print(f"the first has done {len(first)} tasks, the second {len(second)}")
once = sorted(first + second) == list(range(TASKS))
print(f"{TASKS} tasks, each done once" if once else f"not each once: {first}, {second}")
